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
   * @throws Error whose message says what is wrong with it
   */
  parse(text: string): Value;
  /** Joins the texts of a flag that is given twice. Without it the last one counts. */
  join?(before: string, now: string): string;
}

/** The flags of a command by their names, in the order in which help shows them. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** What the flags of a command came to. */
export type FlagValues<Table extends Flags> = { readonly [Name in keyof Table]: Table[Name] extends Flag<infer Value> ? Value : never };
