import { ownedItem, ownedMember, ownersHere, type Owned, type Owner } from './owners.js';

/** A line of an object as YAML. */
export interface Line {
  readonly text: string;
  readonly owners: readonly Owner[];
}

/** Texts are cut after so many characters. */
const LONGEST_TEXT = 4096;

/** Returns an object as lines of YAML, each with the owners of its field. */
export function yamlLines(value: object, owned: readonly Owned[]): Line[] {
  const lines: Line[] = [];
  writeMap(value, owned, '', '', lines);
  return lines;
}

/** Returns an object as YAML. */
export const textOf = (value: object): string =>
  yamlLines(value, [])
    .map(({ text }) => text)
    .join('\n');

function writeMap(map: object, owned: readonly Owned[], indent: string, first: string, lines: Line[]): void {
  let lead = first === '' ? indent : first;
  for (const [key, value] of Object.entries(map)) {
    if (value === undefined) continue;
    writeMember(`${lead}${scalar(key)}:`, value, ownedMember(owned, key), indent, lines);
    lead = indent;
  }
}

function writeMember(head: string, value: unknown, owned: readonly Owned[], indent: string, lines: Line[]): void {
  const owners = ownersHere(owned);
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return writeScalar(head, value, owners, `${indent}  `, lines);
  lines.push({ text: head, owners });
  if (Array.isArray(value)) writeList(value, owned, indent, lines);
  else writeMap(value, owned, `${indent}  `, '', lines);
}

function writeList(list: readonly unknown[], owned: readonly Owned[], indent: string, lines: Line[]): void {
  for (const [index, item] of list.entries()) {
    const ofItem = ownedItem(owned, item, index);
    if (typeof item === 'object' && item !== null && !Array.isArray(item) && Object.keys(item).length > 0)
      writeMap(item, ofItem, `${indent}  `, `${indent}- `, lines);
    else writeMember(`${indent}-`, item, ofItem, `${indent}  `, lines);
  }
}

function writeScalar(head: string, value: unknown, owners: readonly Owner[], indent: string, lines: Line[]): void {
  if (typeof value !== 'string' || !isBlock(value)) {
    lines.push({ text: `${head} ${scalar(value)}`, owners });
    return;
  }
  const shown = value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) : value;
  lines.push({ text: `${head} ${value.endsWith('\n') ? '|' : '|-'}`, owners });
  for (const text of shown.replace(/\n$/, '').split('\n'))
    lines.push({ text: text === '' ? '' : indent + text, owners });
  if (shown !== value) lines.push({ text: `${indent}# cut: ${value.length} characters in all`, owners });
}

/** Whether a text can be shown as a block of lines. */
const isBlock = (text: string): boolean =>
  /\n/.test(text) && /^[^\s]/.test(text) && !/[ \t]$|\n\n$|[^\P{C}\n]|[\p{Zl}\p{Zp}]/u.test(text);

const PLAIN = /^[A-Za-z_/.][-A-Za-z0-9_./]*$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~|\.(?:inf|nan))$/i;

function scalar(value: unknown): string {
  if (typeof value === 'string') {
    if (value.length <= LONGEST_TEXT && PLAIN.test(value) && !RESERVED.test(value)) return value;
    const cut = value.length > LONGEST_TEXT;
    const text = JSON.stringify(cut ? value.slice(0, LONGEST_TEXT) : value).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, codeOf);
    return cut ? `${text} # cut: ${value.length} characters in all` : text;
  }
  if (Array.isArray(value)) return '[]';
  return typeof value === 'object' && value !== null ? '{}' : String(value);
}

/** Characters that would change how the others look are shown as codes. */
const codeOf = (character: string): string =>
  [...character].map((one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`).join('');
