/**
 * The compiled forms of definitions: schemas, columns, patterns, rules and the expressions of policies. Each is made
 * when it is first used, once for each version of a definition, and counted by its estimated size. When there is too
 * much, what has not been used for longest is given up, and made again when it is needed: a definition that is not used
 * costs its text only.
 *
 * @module
 */

/** Estimated memory of what is compiled, in bytes. Measured on Node 20: a pattern's instructions take 162 to 189. */
export const COMPILED_BYTES = {
  /** An instruction of a pattern. */
  patternInstruction: 170,
  /** A node of a schema. */
  schemaNode: 600,
  /** An expression, besides the nodes of its syntax tree. */
  expression: 3000,
  /** A node of an expression's syntax tree; an expression has about one for every four characters. */
  expressionNode: 1000,
  /** A printer column, besides its path. */
  column: 1000,
  /** A character of the path of a column: a step of two characters is an object with a closure. */
  columnCharacter: 100,
} as const;

/** Returns the estimated memory of a compiled expression, in bytes; 0 for none. */
export const expressionBytes = (text: string): number =>
  text === '' ? 0 : COMPILED_BYTES.expression + Math.ceil(text.length / 4) * COMPILED_BYTES.expressionNode;

/** Where the memory of artefacts is counted. */
export interface ArtefactAccount {
  /** Counts bytes; a negative number releases them. */
  hold(bytes: number): void;
}

/** Where artefacts are kept. */
export interface ArtefactSource {
  /** Returns the place of an artefact that has not been made. */
  artefact<Value>(): CompiledArtefact<Value>;
}

/** The artefacts of one server. */
export class CompiledArtefacts implements ArtefactSource {
  readonly #owner: ArtefactOwner = {
    used: () => (this.#uses += 1),
    kept: (artefact) => this.#keep(artefact),
    dropped: (artefact) => this.#release(artefact),
  };
  readonly #maxBytes: number;
  readonly #account: ArtefactAccount;
  readonly #kept = new Set<CompiledArtefact<unknown>>();
  #usedBytes = 0;
  /** Number of uses; tells which artefact has been used last. */
  #uses = 0;

  /**
   * @param maxBytes maximum of all artefacts together
   * @param openAccount opens the account; `giveUp` is called when the server needs the memory
   */
  constructor(maxBytes: number, openAccount: (giveUp: (bytes: number) => void) => ArtefactAccount) {
    this.#maxBytes = maxBytes;
    this.#account = openAccount((bytes) => this.#giveUp(this.#usedBytes - bytes));
  }

  /** Estimated memory of what is kept, in bytes. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  artefact<Value>(): CompiledArtefact<Value> {
    return new CompiledArtefact<Value>(this.#owner);
  }

  /** Returns where the artefacts of one definition are kept. */
  group(): ArtefactGroup {
    return new ArtefactGroup(this.#owner);
  }

  #keep(artefact: CompiledArtefact<unknown>): void {
    this.#kept.add(artefact);
    this.#usedBytes += artefact.bytes;
    this.#account.hold(artefact.bytes);
    // An eighth more is given up, so that the next ones do not have to look for the least recently used one each.
    if (this.#usedBytes > this.#maxBytes) this.#giveUp(this.#maxBytes - (this.#maxBytes >> 3));
  }

  #release(artefact: CompiledArtefact<unknown>): void {
    if (!this.#kept.delete(artefact)) return;
    this.#usedBytes -= artefact.bytes;
    this.#account.hold(-artefact.bytes);
  }

  /** Gives up the artefacts that have not been used for longest. The one that has been used last stays. */
  #giveUp(targetBytes: number): void {
    const byUse = [...this.#kept].sort((a, b) => a.lastUse - b.lastUse);
    for (const artefact of byUse.slice(0, -1)) {
      if (this.#usedBytes <= targetBytes) return;
      artefact.drop();
    }
  }
}

/** The artefacts of one definition, which are given up together when it is gone. */
export class ArtefactGroup implements ArtefactSource {
  readonly #owner: ArtefactOwner;
  readonly #kept = new Set<CompiledArtefact<unknown>>();
  #isOver = false;

  constructor(owner: ArtefactOwner) {
    this.#owner = owner;
  }

  artefact<Value>(): CompiledArtefact<Value> {
    return new CompiledArtefact<Value>({
      used: () => this.#owner.used(),
      kept: (artefact) => {
        // A request that began before the end may still make one for itself.
        if (this.#isOver) return;
        this.#kept.add(artefact);
        this.#owner.kept(artefact);
      },
      dropped: (artefact) => {
        this.#kept.delete(artefact);
        this.#owner.dropped(artefact);
      },
    });
  }

  /** Gives up all of them. Those that are made later are not counted. */
  end(): void {
    this.#isOver = true;
    for (const artefact of this.#kept) artefact.drop();
  }
}

/** The owner of an artefact, as the artefact sees it. */
export interface ArtefactOwner {
  used(): number;
  kept(artefact: CompiledArtefact<unknown>): void;
  dropped(artefact: CompiledArtefact<unknown>): void;
}

/** One artefact: made when it is first needed, and again after it was given up. */
export class CompiledArtefact<Value> {
  readonly #owner: ArtefactOwner;
  #made: { readonly value: Value } | undefined;
  /** Its estimated memory; 0 when it is not kept. */
  bytes = 0;
  /** Number of the use in which it was used last. */
  lastUse = 0;

  constructor(owner: ArtefactOwner) {
    this.#owner = owner;
  }

  /** Returns the artefact; undefined when it has to be made. */
  get value(): Value | undefined {
    if (this.#made === undefined) return undefined;
    this.lastUse = this.#owner.used();
    return this.#made.value;
  }

  /**
   * Keeps the artefact that has been made; it may be given up at any later time, so callers use what they passed.
   *
   * @param bytes its estimated memory
   */
  keep(value: Value, bytes: number): Value {
    this.drop();
    this.#made = { value };
    this.bytes = bytes;
    this.lastUse = this.#owner.used();
    this.#owner.kept(this);
    return value;
  }

  /** Gives the artefact up. */
  drop(): void {
    if (this.#made === undefined) return;
    this.#made = undefined;
    this.#owner.dropped(this);
    this.bytes = 0;
  }
}
