import { loadProgram } from "@wfh/cli/program.ts";
import { tools } from "@wfh/migrate/tools.ts";

type Command = Awaited<ReturnType<typeof loadProgram>>;

/** Renders the manual page `wfh.1` from the help of all commands, as troff in UTF-8. */
export async function renderManPage(): Promise<string> {
  let written = "";
  const out = (text: string) => {
    written += text;
  };
  const program = await loadProgram({ out, err: out }, () => {}, tools);
  return [
    `.TH WFH 1 "" "Web Forms Helper ${program.version()}" "User Commands"`,
    ".SH NAME",
    `wfh \\- ${escapeTroff(program.description().replace("Web Forms Helper: ", ""))}`,
    ".SH SYNOPSIS",
    ".B wfh",
    escapeTroff(program.createHelp().commandUsage(program).replace("wfh ", "")),
    ".SH OPTIONS",
    ...renderTerms(program),
    ".SH DESCRIPTION",
    ...renderNotes(program),
    ".SH COMMANDS",
    ...listCommands(program).flatMap(renderCommand),
    "",
  ].join("\n");

  function renderCommand(command: Command): readonly string[] {
    const help = command.createHelp();
    return [
      `.SS ${escapeTroff(help.commandUsage(command))}`,
      escapeTroff(help.commandDescription(command)),
      ...renderTerms(command),
      ...renderNotes(command),
    ];
  }

  /** Text below the options in the help of a command, such as its examples, as it is. */
  function renderNotes(command: Command): readonly string[] {
    written = "";
    command.outputHelp();
    const notes = written.replace(command.helpInformation(), "").trim();
    return notes === "" ? [] : [".PP", ".nf", ...notes.split("\n").map(escapeTroff), ".fi"];
  }
}

/** Arguments and options of a command. */
function renderTerms(command: Command): readonly string[] {
  const help = command.createHelp();
  const operands = help
    .visibleArguments(command)
    .map((one) => [help.argumentTerm(one), help.argumentDescription(one)]);
  const options = help
    .visibleOptions(command)
    .map((one) => [help.optionTerm(one), help.optionDescription(one)]);
  return [...operands, ...options].flatMap(([term = "", text = ""]) => [
    ".TP",
    `.B ${escapeTroff(term)}`,
    escapeTroff(text),
  ]);
}

/** All commands below one, in the order of the help. */
function listCommands(command: Command): readonly Command[] {
  const below = command.createHelp().visibleCommands(command);
  return below.filter((one) => one.name() !== "help").flatMap((one) => [one, ...listCommands(one)]);
}

/** Escapes what troff would read as a request or an escape, and keeps minus signs for copying. */
function escapeTroff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");
}
