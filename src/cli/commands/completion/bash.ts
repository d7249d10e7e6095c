import type { CompletedCommand, WordKind } from "./tree.ts";

/** The script that completes `wfh` in bash, from version 3.2 on. It needs nothing but bash itself. */
export function renderBash(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  return `# Completion of wfh for bash, written by: wfh completion bash
_wfh() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous= place= value= word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    # Bash makes a word of its own of an equals sign.
    if [[ $word != = ]]; then previous=$word; fi
    case "\${place:+$place }$word" in
      ${paths.map(quote).join(" | ")})
        place="\${place:+$place }$word" ;;
    esac
  done
  if [[ $current == = ]]; then current=; fi
  case "$place:$previous" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$value" in
    '') ;;
    '<file>') _wfh_files "$current"; return ;;
    '<any>') return ;;
    *) COMPREPLY=($(compgen -W "$value" -- "$current")); return ;;
  esac
  case "$place" in
${commands.map(wordCase).join("\n")}
  esac
}
_wfh_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$1"))
}
complete -F _wfh wfh web-forms-helper
`;
}

/** What follows an option. */
function valueCases({ path, options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === null) return [];
    const patterns = flags.map((flag) => quote(`${path}:${flag}`)).join(" | ");
    const words = typeof value === "string" ? `<${value}>` : value.join(" ");
    return `    ${patterns}) value=${quote(words)} ;;`;
  });
}

/** What follows a command. */
function wordCase({ path, commands, options, argument }: CompletedCommand): string {
  const flags = options.flatMap((option) => option.flags);
  return `    ${quote(path)})
      case "$current" in
        -*) ${reply(flags)} ;;
        *) ${plainWords(commands, argument)} ;;
      esac ;;`;
}

function plainWords(commands: CompletedCommand["commands"], argument: WordKind | null): string {
  if (argument === "file") return '_wfh_files "$current"';
  if (argument !== null && argument !== "any") return reply(argument);
  return reply(commands.map(({ name }) => name));
}

function reply(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W ${quote(words.join(" "))} -- "$current"))`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
