import type { ManagedFieldsEntry } from '../../foundation/index.js';

/** Number of entries whose texts are kept. Comparing an entry with each of them costs less than encoding it. */
const KEPT = 8;
/** Maximum length of a text that is kept. */
const MAX_TEXT = 4096;

/** An entry and its text. */
interface KnownText {
  readonly entry: ManagedFieldsEntry;
  readonly members: readonly string[];
  readonly text: string;
}

/**
 * The JSON of the managed fields that the objects of a kind had last. They are a third of the text of a small object, and
 * objects that are written in a row mostly have the same ones.
 */
export class KnownEntries {
  readonly #known: KnownText[] = [];
  #nextKnown = 0;
  /** Fields of entries that came once. Only what comes again is kept. */
  readonly #seen: ManagedFieldsEntry['fieldsV1'][] = [];
  #nextSeen = 0;

  /**
   * Returns the JSON of a list of entries if the text of each is known.
   *
   * @param entries entries of a stored object; the fields in them are never changed in place
   * @param encode encodes an entry that comes again
   */
  textOf(entries: readonly ManagedFieldsEntry[], encode: (entry: ManagedFieldsEntry) => string): string | undefined {
    let texts = '';
    let isComplete = true;
    for (let index = 0; index < entries.length; index += 1) {
      const text = this.#textOf(entries[index] as ManagedFieldsEntry, encode);
      if (text === undefined) isComplete = false;
      else texts += index === 0 ? text : `,${text}`;
    }
    return isComplete ? `[${texts}]` : undefined;
  }

  #textOf(entry: ManagedFieldsEntry, encode: (entry: ManagedFieldsEntry) => string): string | undefined {
    const { fieldsV1 } = entry;
    if (typeof fieldsV1 !== 'object' || fieldsV1 === null) return undefined;
    for (const one of this.#known) if (one.entry.fieldsV1 === fieldsV1 && hasMembersOf(one, entry)) return one.text;
    if (!this.#seen.includes(fieldsV1)) {
      this.#seen[this.#nextSeen] = fieldsV1;
      this.#nextSeen = (this.#nextSeen + 1) % KEPT;
      return undefined;
    }
    const text = encode(entry);
    if (text.length > MAX_TEXT) return text;
    this.#known[this.#nextKnown] = { entry, members: Object.keys(entry), text };
    this.#nextKnown = (this.#nextKnown + 1) % KEPT;
    return text;
  }
}

/** Returns whether an entry has the members of a known one, in the same order and with the same values. */
function hasMembersOf({ entry, members }: KnownText, other: ManagedFieldsEntry): boolean {
  let count = 0;
  for (const name in other) {
    const member = name as keyof ManagedFieldsEntry;
    if (member !== members[count] || other[member] !== entry[member]) return false;
    count += 1;
  }
  return count === members.length;
}
