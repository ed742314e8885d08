// Decisions as a file: CSV out, and in again.
const CELLS = ["target", "given", "decision", "label", "comment", "reviewer", "row_check"];

function writtenCsv(names, lines) {
  const cell = (text) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [names, ...lines].map((line) => line.map(cell).join(",") + "\n").join("");
}

// The lines of a CSV file as objects, by the names in its first line; a spreadsheet may have
// written it with semicolons or tabs.
function readCsv(text) {
  const source = text.replace(/^\uFEFF/, "");
  const [head] = source.split(/\r?\n/, 1);
  const [mark] = [",", ";", "\t"].sort((a, b) => head.split(b).length - head.split(a).length);
  const lines = [[""]];
  let quoted = false;
  for (let i = 0; i < source.length; i += 1) {
    const sign = source[i];
    const line = lines.at(-1);
    if (quoted && sign === '"' && source[i + 1] === '"') {
      line[line.length - 1] += '"';
      i += 1;
    } else if (sign === '"') quoted = !quoted;
    else if (quoted) line[line.length - 1] += sign;
    else if (sign === mark) line.push("");
    else if (sign === "\n") lines.push([""]);
    else if (sign !== "\r") line[line.length - 1] += sign;
  }
  const [names, ...cells] = lines.filter((line) => line.some((text_) => text_ !== ""));
  return (cells ?? []).map((line) => Object.fromEntries(names.map((n, i) => [n.trim(), line[i] ?? ""])));
}

// Why a line is no decision on a row with these data, "" if it is one.
function faultOf(line, given, config) {
  if (!["keep", "relabel", "drop"].includes(line.decision)) return "no decision";
  if (line.target && line.target !== config.target) return `about ${line.target}`;
  if (given !== null && line.given !== given) return `given ${line.given} in the file`;
  if (line.decision === "relabel" && !config.classes.includes(line.label)) return "no such label";
  return "";
}
