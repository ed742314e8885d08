"""`python -m csvor.cli` does what `csvor` does."""

from csvor.cli import main

if __name__ == "__main__":
    main()
