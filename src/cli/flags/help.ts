import type { Flag, Flags } from './flag.js';

/** Columns of a terminal that help is written for. */
const WIDTH = 100;
const INDENT = '      ';

/** The flags as `--help` shows them. */
export function flagsAsText(flags: Flags): string {
  return Object.entries(flags)
    .map(([name, flag]) => `  ${written(name, flag)}\n${wrap(sentence(flag))}`)
    .join('');
}

/** The flags as a table in Markdown, for the documentation. */
export function flagsAsMarkdown(flags: Flags): string {
  const rows = Object.entries(flags).map(
    ([name, flag]) =>
      `| \`${written(name, flag)}\` | ${isShown(flag) ? `\`${flag.shown}\`` : ''} | ${flag.help.replaceAll('|', '\\|')} |`,
  );
  return ['| Flag | Default | What it does |', '|---|---|---|', ...rows].join('\n');
}

function written(name: string, flag: Flag<unknown>): string {
  const short = flag.shorthand === undefined ? '' : `-${flag.shorthand}, `;
  return `${short}--${name}${flag.valueName === '' ? '' : ` ${flag.valueName}`}`;
}

function sentence(flag: Flag<unknown>): string {
  return isShown(flag) ? `${flag.help} (default ${flag.shown})` : flag.help;
}

/** A switch that is off needs no default. */
function isShown({ shown, bare }: Flag<unknown>): boolean {
  return shown !== '' && !(bare !== undefined && shown === 'false');
}

function wrap(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && INDENT.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].map((content) => `${INDENT}${content}\n`).join('');
}
