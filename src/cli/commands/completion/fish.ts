import type { CompletedCommand, CompletedOption, WordKind } from "./tree.ts";

/** The script that completes `wfh` in fish, with a description of each word; from version 3 on. */
export function renderFish(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  return `# Completion of wfh for fish, written by: wfh completion fish
function __wfh_is_at
  set -l place
  for word in (commandline -opc)[2..-1]
    set -l longer (string join -- ' ' $place $word)
    if contains -- "$longer" ${paths.map(quote).join(" ")}
      set place $longer
    end
  end
  test "$place" = "$argv[1]"
end
for name in wfh web-forms-helper
${commands.flatMap(linesOf).join("\n")}
end
`;
}

function linesOf({ path, commands, options, argument }: CompletedCommand): readonly string[] {
  const at = `  complete -c $name -n ${quote(`__wfh_is_at ${quote(path)}`)}`;
  return [
    `${at} ${offer(commands.length > 0 ? "any" : (argument ?? "any"))}`,
    ...commands.map(({ name, description }) => `${at} -a ${name} -d ${quote(description)}`),
    ...options.map((option) => `${at} ${flagsOf(option)} -d ${quote(option.description)}`),
  ];
}

function flagsOf({ flags, value }: CompletedOption): string {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  return [...names, ...(value === null ? [] : ["-r", offer(value)])].join(" ");
}

/** Fish offers files unless it is told not to. */
function offer(kind: WordKind): string {
  if (kind === "file") return "-F";
  if (kind === "any") return "-f";
  return `-f -a ${quote(kind.join(" "))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
