import { referenceIn, type Reference } from '../../references.js';
import { ownedItem, ownedMember, ownersHere, type Owned, type Owner } from './owners.js';

/** A line of an object as YAML. */
export interface Line {
  readonly text: string;
  /** The path of its field, as the server writes paths: `spec.containers[0].image`. */
  readonly path: string;
  /** How many lines below it belong to its field, too. */
  readonly below?: number | undefined;
  readonly owners: readonly Owner[];
  /** The object that the value names. */
  readonly reference?: Reference | undefined;
  /** Where the value begins in the text, if it names an object. */
  readonly valueAt?: number | undefined;
}

/** Texts are cut after so many characters. */
const LONGEST_TEXT = 4096;

/** Returns an object as lines of YAML, each with the owners of its field. */
export function yamlLines(value: object, owned: readonly Owned[]): Line[] {
  const lines: Line[] = [];
  writeMap({ map: value, holder: '', path: '', owned, indent: '', first: '' }, lines);
  return lines;
}

/** Returns an object as YAML. */
export const textOf = (value: object): string =>
  yamlLines(value, [])
    .map(({ text }) => text)
    .join('\n');

/** A map to write. */
interface Written {
  readonly map: object;
  /** The name of the field that it is in, or the list that it is an item of. */
  readonly holder: string;
  /** Its path; empty for the whole object. */
  readonly path: string;
  readonly owned: readonly Owned[];
  readonly indent: string;
  /** The beginning of its first line; empty for the indent. */
  readonly first: string;
}

function writeMap({ map, holder, path, owned, indent, first }: Written, lines: Line[]): void {
  let lead = first === '' ? indent : first;
  const members: Readonly<Record<string, unknown>> = { ...map };
  for (const [key, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const at = lines.length;
    const member = { head: `${lead}${scalar(key)}:`, key, path: memberPath(path, key), value };
    writeMember({ ...member, owned: ownedMember(owned, key), indent }, lines);
    const line = lines[at];
    const reference = referenceIn({ holder, map: members, key, value });
    if (reference !== undefined && line?.text.endsWith(` ${scalar(value)}`) === true)
      lines[at] = { ...line, reference, valueAt: line.text.length - scalar(value).length };
    lead = indent;
  }
}

/** A member of a map, or an item of a list, to write. */
interface WrittenMember {
  readonly head: string;
  /** Its name; for an item the name of its list. */
  readonly key: string;
  readonly path: string;
  readonly value: unknown;
  readonly owned: readonly Owned[];
  readonly indent: string;
}

function writeMember({ head, key, path, value, owned, indent }: WrittenMember, lines: Line[]): void {
  const owners = ownersHere(owned);
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return writeScalar({ head, path, owners, indent: `${indent}  ` }, value, lines);
  const at = lines.push({ text: head, path, owners });
  if (Array.isArray(value)) writeList(value, { head, key, path, value, owned, indent }, lines);
  else writeMap({ map: value, holder: key, path, owned, indent: `${indent}  `, first: '' }, lines);
  lines[at - 1] = { text: head, path, owners, below: lines.length - at };
}

function writeList(
  list: readonly unknown[],
  { key: holder, path: of, owned, indent }: WrittenMember,
  lines: Line[],
): void {
  for (const [index, item] of list.entries()) {
    const ofItem = ownedItem(owned, item, index);
    const path = `${of}[${index}]`;
    if (typeof item === 'object' && item !== null && !Array.isArray(item) && Object.keys(item).length > 0)
      writeMap({ map: item, holder, path, owned: ofItem, indent: `${indent}  `, first: `${indent}- ` }, lines);
    else
      writeMember({ head: `${indent}-`, key: holder, path, value: item, owned: ofItem, indent: `${indent}  ` }, lines);
  }
}

/** The first line of a scalar. */
interface ScalarPlace {
  readonly head: string;
  readonly path: string;
  readonly owners: readonly Owner[];
  /** That of further lines. */
  readonly indent: string;
}

function writeScalar({ head, path, owners, indent }: ScalarPlace, value: unknown, lines: Line[]): void {
  if (typeof value !== 'string' || !isBlock(value)) {
    lines.push({ text: `${head} ${scalar(value)}`, path, owners });
    return;
  }
  const shown = value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) : value;
  const texts = shown.replace(/\n$/, '').split('\n');
  const isCut = shown !== value;
  const below = texts.length + (isCut ? 1 : 0);
  lines.push({ text: `${head} ${value.endsWith('\n') ? '|' : '|-'}`, path, owners, below });
  for (const text of texts) lines.push({ text: text === '' ? '' : indent + text, path, owners });
  if (isCut) lines.push({ text: `${indent}# cut: ${value.length} characters in all`, path, owners });
}

/** Returns the path of a member of a map. A name with a dot, such as that of a label, is in brackets. */
const memberPath = (path: string, name: string): string =>
  /^[-\w]+$/.test(name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;

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
