import type { Command } from '../command.js';
import type { Flags } from '../flags/flag.js';
import { quoted, valueOf } from './values.js';

/** Returns the completion script of bash. It needs no other package of completions. */
export function bashScript(program: string, commands: readonly Command[]): string {
  const name = `_${program.replaceAll('-', '_')}`;
  const names = [...commands.map((command) => command.name), 'help'];
  return `# bash completion of ${program}: source <(${program} completion bash)
# Completes a file (-f) or a directory (-d). A word may be quoted, and a name may have spaces.
${name}_path() {
  local found word=$2
  case $word in
    \\'*|\\"*) word=\${word:1} ;;
    *) word=\${word//\\\\/} ;;
  esac
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen "$1" -- "$word")
}
${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  COMPREPLY=()
  # An equals sign is a word of its own.
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $COMP_CWORD -eq 1 || ( $COMP_CWORD -eq 2 && $command == help ) ]]; then
    COMPREPLY=($(compgen -W ${quoted(names.join(' '))} -- "$current"))
    return
  fi
  case "$command $previous" in
${commands.map((command) => valueCases(name, command)).join('')}  esac
  if [[ $current == -* ]]; then
    case "$command" in
${commands.map((command) => `      ${command.name}) COMPREPLY=($(compgen -W ${quoted(wordsOf(command.flags).join(' '))} -- "$current")) ;;\n`).join('')}    esac
    return
  fi
  if [[ $command == completion ]]; then COMPREPLY=($(compgen -W 'bash zsh fish' -- "$current")); return; fi
  ${name}_path -f "$current"
}
complete -o filenames -F ${name} ${program}
`;
}

const wordsOf = (flags: Flags): readonly string[] => Object.keys(flags).map((name) => `--${name}`);

/** Returns the cases of a command, which complete the values of its flags. @param completion name of the function */
function valueCases(completion: string, { name, flags }: Command): string {
  const all = Object.entries(flags).map(([flag, definition]) => ({ flag, value: valueOf(definition) }));
  const patterns = (kind: string): string =>
    all.flatMap(({ flag, value }) => (value.kind === kind ? [quoted(`${name} --${flag}`)] : [])).join('|');
  const line = (pattern: string, action: string): string =>
    pattern === '' ? '' : `    ${pattern}) ${action}; return ;;\n`;
  const choices = all.map(({ flag, value }) =>
    value.kind === 'choices'
      ? line(quoted(`${name} --${flag}`), `COMPREPLY=($(compgen -W ${quoted(value.choices.join(' '))} -- "$current"))`)
      : '',
  );
  return [
    ...choices,
    line(patterns('file'), `${completion}_path -f "$current"`),
    line(patterns('directory'), `${completion}_path -d "$current"`),
    line(patterns('other'), ':'),
  ].join('');
}
