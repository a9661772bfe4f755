/** A flag: how it is written, what it means, and what it is when it is not given. */
export interface Flag<Value> {
  /** One letter, for `-h` beside `--help`. */
  readonly shorthand?: string;
  /** Stands for the value in help, e.g. `PORT`; empty for a switch. */
  readonly valueName: string;
  /** What it does, in sentences. */
  readonly help: string;
  /** The value when the flag is not given. */
  readonly fallback: Value;
  /** The default as the user would write it; empty when there is nothing to say. */
  readonly shown: string;
  /** What the flag means without a value; with it, a value can only follow an equals sign. */
  readonly bare?: string;
  /**
   * Reads a value.
   *
   * @param before what the flag came to where it was given before; a flag that leaves it aside counts as it is given last
   * @throws Error whose message says what is wrong with the text
   */
  parse(text: string, before: Value | undefined): Value;
}

/** The flags of a command by their names, in the order in which help shows them. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** What the flags of a command came to. */
export type FlagValues<Table extends Flags> = {
  readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never;
};
