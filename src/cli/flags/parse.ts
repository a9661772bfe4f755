import { appendAll, goQuote, messageOf } from '../../foundation/index.js';
import { didYouMean } from '../did-you-mean.js';
import { UsageError } from '../usage-error.js';
import type { Flag, Flags, FlagValues } from './flag.js';

/** Parses the arguments of a command: the values of {@link givenFlags}, and the defaults of the others. */
export function parseFlags<Table extends Flags>(
  flags: Table,
  words: readonly string[],
  operands?: string[],
): FlagValues<Table> {
  return completeValues(flags, givenFlags(flags, words, operands));
}

/** Returns the value of each flag: the first that is given, else its default. */
export function completeValues<Table extends Flags>(
  flags: Table,
  ...given: readonly ReadonlyMap<string, unknown>[]
): FlagValues<Table> {
  const values = Object.entries(flags).map(([name, flag]) => {
    const source = given.find((map) => map.has(name));
    return [name, source === undefined ? flag.fallback : source.get(name)];
  });
  // The entries keep the names and types of the table.
  return Object.fromEntries(values) as FlagValues<Table>;
}

/** Parses arguments: `--name value`, `--name=value`, `--switch`.
 *
 * @returns the values of the flags that are given, by name
 * @param operands receives the other arguments; without it, they are refused. All arguments after `--` are operands
 * @throws UsageError with the messages of pflag, the flag library of Kubernetes, and a hint at a similar flag
 */
export function givenFlags(flags: Flags, words: readonly string[], operands?: string[]): ReadonlyMap<string, unknown> {
  const given = new Map<string, unknown>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (operands !== undefined && word === '--') {
      appendAll(operands, words.slice(at + 1));
      break;
    }
    if (operands !== undefined && !word.startsWith('-')) {
      operands.push(word);
      continue;
    }
    const { name, flag, value } = recognize(flags, word);
    let text = value ?? flag.bare;
    if (text === undefined) {
      at += 1;
      text = words[at];
    }
    if (text === undefined) throw new UsageError(`flag needs an argument: ${word}`);
    given.set(name, valueOf(name, flag, text, given.get(name)));
  }
  return given;
}

interface RecognizedFlag {
  readonly name: string;
  readonly flag: Flag<unknown>;
  /** Text after the equals sign. */
  readonly value: string | undefined;
}

function recognize(flags: Flags, word: string): RecognizedFlag {
  const [, dashes = '', name = '', value] = /^(-{0,2})([^=]*)(?:=([^]*))?$/.exec(word) ?? [];
  if (dashes === '') throw new UsageError(`unexpected argument ${goQuote(word)}`);
  if (name === '' || name.startsWith('-')) throw new UsageError(`bad flag syntax: ${word}`);
  if (dashes === '--') {
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined)
      throw new UsageError(`unknown flag: --${name}${didYouMean(name, Object.keys(flags), (known) => `--${known}`)}`);
    return { name, flag, value };
  }
  const found = Object.entries(flags).find(([, { shorthand }]) => shorthand === name);
  if (found === undefined) throw new UsageError(`unknown shorthand flag: '${name.charAt(0)}' in ${word}`);
  return { name: found[0], flag: found[1], value };
}

function valueOf(name: string, flag: Flag<unknown>, text: string, before: unknown): unknown {
  try {
    return flag.parse(text, before);
  } catch (error) {
    throw new UsageError(
      `invalid argument ${goQuote(text)} for "${flag.shorthand === undefined ? '' : `-${flag.shorthand}, `}--${name}" flag: ${messageOf(error)}`,
    );
  }
}
