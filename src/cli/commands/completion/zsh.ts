import type { CompletedCommand, WordKind } from "./tree.ts";

/** The script that completes `wfh` in zsh, with a description of each word; from version 5 on. */
export function renderZsh(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  return `#compdef wfh web-forms-helper
# Completion of wfh for zsh, written by: wfh completion zsh
_wfh() {
  local place= word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      (${paths.map(pattern).join("|")})
        place="\${place:+$place }$word" ;;
    esac
  done
  case "$place:\${words[CURRENT-1]}" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$place" in
${commands.map(wordCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _wfh ]]; then
  _wfh "$@"
else
  compdef _wfh wfh web-forms-helper
fi
`;
}

/** What follows an option. */
function valueCases({ path, options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === null) return [];
    const patterns = flags.map((flag) => pattern(`${path}:${flag}`)).join("|");
    return `    (${patterns}) ${offer(value)}; return ;;`;
  });
}

/** What follows a command. */
function wordCase({ path, commands, options, argument }: CompletedCommand): string {
  const flags = options.flatMap((option) =>
    option.flags.map((flag) => described(flag, option.description)),
  );
  const words = commands.map(({ name, description }) => described(name, description));
  const plain =
    words.length > 0
      ? `candidates=(${words.join(" ")}); _describe command candidates`
      : offer(argument ?? "any");
  return `    (${pattern(path)})
      if [[ $words[CURRENT] == -* ]]; then
        candidates=(${flags.join(" ")}); _describe option candidates
      else
        ${plain}
      fi ;;`;
}

function offer(kind: WordKind): string {
  if (kind === "file") return "_files";
  if (kind === "any") return "_message 'no completion'";
  return `candidates=(${kind.map(quote).join(" ")}); _describe value candidates`;
}

/** A word and what it means, as `_describe` takes them. */
function described(word: string, description: string): string {
  return quote(`${word.replaceAll(":", "\\:")}:${description}`);
}

function pattern(text: string): string {
  return text === "" ? "''" : quote(text);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
