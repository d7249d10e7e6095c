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
    ...renderOptions(program),
    ".SH DESCRIPTION",
    ...renderNotes(program),
    ".SH COMMANDS",
    ...listCommands(program).flatMap(renderCommand),
    ".SH FILES",
    ".TP",
    ".I /etc/web\\-forms\\-helper/settings.toml",
    "Settings of the service that the Debian package installs.",
    ".SH SEE ALSO",
    "The guides in the folder docs of the package, and in",
    ".IR /usr/share/doc/web\\-forms\\-helper .",
    "",
  ].join("\n");

  function renderCommand(command: Command): readonly string[] {
    const help = command.createHelp();
    const usage = help.commandUsage(command);
    const operands = help
      .visibleArguments(command)
      .flatMap((one) => [
        ".TP",
        `.I ${escapeTroff(help.argumentTerm(one))}`,
        describe(help.argumentDescription(one)),
      ]);
    return [
      `.SS ${escapeTroff(usage)}`,
      describe(help.commandDescription(command)),
      ...operands,
      ...renderOptions(command),
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

function renderOptions(command: Command): readonly string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help")
    .flatMap((option) => [
      ".TP",
      `.B ${escapeTroff(help.optionTerm(option))}`,
      describe(help.optionDescription(option)),
    ]);
}

/** All commands below one, in the order of the help. */
function listCommands(command: Command): readonly Command[] {
  const below = command.createHelp().visibleCommands(command);
  return below.filter((one) => one.name() !== "help").flatMap((one) => [one, ...listCommands(one)]);
}

/** Text of a paragraph: troff takes an empty line for the space of one. */
function describe(text: string): string {
  return escapeTroff(text) || "\\&";
}

/** Escapes what troff would read as a request or an escape, and keeps minus signs for copying. */
function escapeTroff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");
}
