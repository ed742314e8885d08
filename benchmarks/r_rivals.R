# Proportional odds of R for many draws: ordinal::clm and, where its folder is named, density-power divergence.
#
#   Rscript benchmarks/r_rivals.R DRAWS.csv FITS.csv [RORM [0.5 ...]]
#
# DRAWS.csv has the columns draw, y (integers) and columns of numbers, all of which are fitted. RORM is a folder
# with robustORM.R and links.R of github.com/t-momozaki/RORM (commit 7c48521; needs evd), which is no part of this
# project; after it the powers. FITS.csv has a line for each draw, method and parameter:
# estimate, standard error, seconds of the fit. A fit that failed has no lines.
#
# robustORM has no standard errors. Those written here are the sandwich of its estimating equations.

suppressPackageStartupMessages(library(ordinal))

arguments <- commandArgs(trailingOnly = TRUE)
draws <- read.csv(arguments[1])
columns <- setdiff(names(draws), c("draw", "y"))
powers <- numeric()
if (length(arguments) > 2) {
  # Its script would try to install what it does not find.
  stopifnot(requireNamespace("evd", quietly = TRUE))
  source(file.path(arguments[3], "robustORM.R"), chdir = TRUE)
  powers <- if (length(arguments) > 3) as.numeric(arguments[-(1:3)]) else 0.5
}

by_likelihood <- function(X, y) {
  fit <- clm(y ~ ., data = data.frame(y = ordered(y), X))
  list(estimate = coef(fit), se = sqrt(diag(vcov(fit))))
}

# What density power minimises, a value for each row.
loss <- function(parameters, X, y, power) {
  K <- max(y)
  eta <- drop(X %*% parameters[-seq_len(K - 1)])
  cumulative <- sapply(parameters[seq_len(K - 1)], function(threshold) plogis(threshold - eta))
  p <- cbind(cumulative, 1) - cbind(0, cumulative)
  rowSums(p^(1 + power)) / (1 + power) - p[cbind(seq_along(y), y)]^power / power
}

sandwich <- function(parameters, X, y, power, step = 1e-4) {
  gradients <- function(at) {
    sapply(seq_along(at), function(i) {
      move <- step * (seq_along(at) == i)
      (loss(at + move, X, y, power) - loss(at - move, X, y, power)) / (2 * step)
    })
  }
  hessian <- sapply(seq_along(parameters), function(i) {
    move <- step * (seq_along(parameters) == i)
    colSums(gradients(parameters + move) - gradients(parameters - move)) / (2 * step)
  })
  bread <- solve((hessian + t(hessian)) / 2)
  sqrt(diag(bread %*% crossprod(gradients(parameters)) %*% bread))
}

by_density_power <- function(X, y, power) {
  X <- as.matrix(X)
  # It prints every twentieth step.
  capture.output(
    fit <- robustORM(factor(y), X, method = "logistic", divergence = "DP", tnp = power)
  )
  estimate <- c(fit$Cutpoints, fit$Coefficients)
  names(estimate) <- c(paste0(seq_len(max(y) - 1), "|", seq_len(max(y))[-1]), colnames(X))
  list(estimate = estimate, se = sandwich(estimate, X, y, power))
}

methods <- c(
  list(clm = by_likelihood),
  setNames(
    lapply(powers, function(power) function(X, y) by_density_power(X, y, power)),
    paste("density power", powers, recycle0 = TRUE)
  )
)

one <- function(rows, method) {
  start <- proc.time()[["elapsed"]]
  fit <- tryCatch(methods[[method]](rows[columns], rows$y), error = function(problem) {
    message("draw ", rows$draw[1], ", ", method, ": ", conditionMessage(problem))
  })
  if (is.null(fit)) return(NULL)
  data.frame(
    draw = rows$draw[1], method = method, parameter = names(fit$estimate), estimate = unname(fit$estimate),
    se = unname(fit$se), seconds = proc.time()[["elapsed"]] - start
  )
}
fits <- lapply(split(draws, draws$draw), function(rows) {
  do.call(rbind, lapply(names(methods), function(method) one(rows, method)))
})
write.csv(do.call(rbind, fits), arguments[2], row.names = FALSE)
