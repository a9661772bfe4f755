/**
 * How a value is written in a configuration file: a list is split at commas, a repeated value is not; pairs are a mapping; a
 * quantity is a number or a string.
 */
export type FlagForm = 'string' | 'boolean' | 'number' | 'quantity' | 'list' | 'repeated' | 'pairs';

/** A command-line flag: its syntax, help text and default. */
export interface Flag<Value> {
  /** One letter, for `-h` beside `--help`. */
  readonly shorthand?: string | undefined;
  /** Placeholder of the value in help, for example `PORT`; empty for a switch. */
  readonly valueName: string;
  /** Topic under which help lists the flag. Default the general flags. */
  readonly topic?: string | undefined;
  /** Help text, in full sentences. */
  readonly help: string;
  /** Value when the flag is not given. */
  readonly fallback: Value;
  /** The default as shown in help; empty to show none. */
  readonly shown: string;
  /** Text parsed when the flag has no value. If set, a value can only follow an equals sign. */
  readonly bare?: string | undefined;
  /** Form of the value in a configuration file. Default `string`. */
  readonly form?: FlagForm | undefined;
  /** All values that are valid. Default any that `parse` accepts. */
  readonly choices?: readonly string[] | undefined;
  /** Parses a value.
   *
   * @param before parsed value of an earlier occurrence of the flag; if a parser ignores it, the last occurrence wins
   * @throws Error whose message describes the problem with the text
   */
  parse(text: string, before: Value | undefined): Value;
}

/** The flags of a command by name, in the order of the help text. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** Parsed values of the flags of a command. */
export type FlagValues<Table extends Flags> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never;
};
