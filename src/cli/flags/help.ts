import type { Flag, Flags } from './flag.js';
import { byTopic } from './topic.js';

/** Maximum line width of the help text, in columns. */
const WIDTH = 100;
const INDENT = '      ';

/** Returns the flags by topic as text for `--help`. */
export function flagsAsText(flags: Flags): string {
  return [...byTopic(flags)].map(([title, table]) => `${title}:\n${tableAsText(table)}`).join('\n');
}

function tableAsText(flags: Flags): string {
  return Object.entries(flags)
    .map(([name, flag]) => `  ${syntaxOf(name, flag)}\n${wrap(helpOf(flag))}`)
    .join('');
}

/** Returns the flags as Markdown for the documentation: a table for each topic. */
export function flagsAsMarkdown(flags: Flags): string {
  const topics = byTopic(flags);
  if (topics.size === 1) return tableAsMarkdown(flags);
  return [...topics].map(([title, table]) => `**${title}**\n\n${tableAsMarkdown(table)}`).join('\n\n');
}

function tableAsMarkdown(flags: Flags): string {
  const rows = Object.entries(flags).map(
    ([name, flag]) =>
      `| \`${syntaxOf(name, flag)}\` | ${isShown(flag) ? `\`${flag.shown}\`` : ''} | ${flag.help.replaceAll('|', '\\|')} |`,
  );
  return ['| Flag | Default | What it does |', '|---|---|---|', ...rows].join('\n');
}

function syntaxOf(name: string, flag: Flag<unknown>): string {
  const short = flag.shorthand === undefined ? '' : `-${flag.shorthand}, `;
  return `${short}--${name}${flag.valueName === '' ? '' : ` ${flag.valueName}`}`;
}

/** Returns the help text of a flag with its default. */
export function helpOf(flag: Flag<unknown>): string {
  return isShown(flag) ? `${flag.help} (default ${flag.shown})` : flag.help;
}

/** Returns whether the default is shown; the default of a switch that is off is not. */
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
