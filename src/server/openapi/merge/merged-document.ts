/**
 * Merges documents of OpenAPI 2.0 as the aggregator of Kubernetes does: the first document with a path has it, and of
 * definitions with the same name and other contents the later one gets another name.
 *
 * @see MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters of kube-openapi
 *
 * @module
 */
import {
  definedOnly,
  equalSteps,
  isArray,
  isJsonObject,
  keysInSteps,
  ownMember,
  setOwnMember,
  stringOrEmpty,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { documentOfPaths, mergeableDocument, type MergeableDocument } from './partial-document.js';
import { PART_OF_SECTION, referenceTo, SECTIONS, targetOf, withReferences, type Section } from './references.js';

const UNITS_OF_ENTRY = 4;

type Entries = Record<string, JsonValue>;

/** A document to which others are added. */
export class MergedDocument {
  readonly #work: Work;
  readonly #head: JsonObject;
  readonly #kindsMember: string;
  readonly #merged: Readonly<Record<keyof MergeableDocument, Entries>> = {
    paths: {},
    definitions: {},
    parameters: {},
    responses: {},
  };

  private constructor(work: Work, head: JsonObject, kindsMember: string) {
    this.#work = work;
    this.#head = head;
    this.#kindsMember = kindsMember;
  }

  /**
   * Begins with a document, whose other members stay. It is not changed.
   *
   * @param kindsMember name of the member of definitions that lists their kinds: equal definitions have the kinds of all
   *   documents
   */
  static *of(work: Work, first: JsonObject, kindsMember: string): Steps<MergedDocument> {
    const merged = new MergedDocument(work, first, kindsMember);
    yield* merged.#addNew(mergeableDocument(first));
    return merged;
  }

  /** Adds the paths that no document before has, with what they refer to. */
  *add(document: MergeableDocument): Steps<void> {
    const { paths } = this.#merged;
    let added = document;
    for (const path of yield* keysInSteps(document.paths, this.#work))
      if (Object.hasOwn(paths, path)) {
        added = yield* documentOfPaths(this.#work, document, (candidate) => !Object.hasOwn(paths, candidate));
        break;
      }
    yield* this.#addNew(yield* this.#renamed(added));
  }

  /** Returns the whole document. */
  document(): JsonObject {
    const sections = SECTIONS.map((section) => [section, this.#merged[section]] as const);
    const used = sections.filter(([section, entries]) => section === 'definitions' || Object.keys(entries).length > 0);
    return { ...this.#head, paths: this.#merged.paths, ...Object.fromEntries(used) };
  }

  *#addNew(document: MergeableDocument): Steps<void> {
    for (const section of ['paths', ...SECTIONS] as const) {
      const entries = this.#merged[section];
      for (const name of yield* keysInSteps(document[section], this.#work)) {
        if (this.#work.spend(UNITS_OF_ENTRY)) yield;
        const entry = document[section][name];
        const known = ownMember(entries, name);
        if (entry === undefined) continue;
        if (known === undefined) setOwnMember(entries, name, entry);
        else if (section === 'definitions') setOwnMember(entries, name, this.#withKinds(known, entry));
      }
    }
  }

  /** Returns a document whose entries have other names where the merged one has others of the same name. */
  *#renamed(document: MergeableDocument): Steps<MergeableDocument> {
    const names = new Map<string, string>();
    for (const section of SECTIONS)
      for (const name of yield* keysInSteps(document[section], this.#work)) {
        const free = yield* this.#freeName(document, section, name);
        if (free !== name) names.set(referenceTo(section, name), free);
      }
    if (names.size === 0) return document;
    const rename = (reference: string): string => {
      const target = targetOf(reference);
      const free = target && names.get(referenceTo(target.section, target.name));
      return target === undefined || free === undefined ? reference : referenceTo(target.section, free);
    };
    const renamed: Record<keyof MergeableDocument, Entries> = {
      paths: {},
      definitions: {},
      parameters: {},
      responses: {},
    };
    for (const section of ['paths', ...SECTIONS] as const)
      for (const name of yield* keysInSteps(document[section], this.#work)) {
        const entry = document[section][name];
        if (entry === undefined) continue;
        const part = section === 'paths' ? 'pathItem' : PART_OF_SECTION[section];
        const free = section === 'paths' ? name : (names.get(referenceTo(section, name)) ?? name);
        setOwnMember(renamed[section], free, yield* withReferences(this.#work, entry, part, rename));
      }
    return renamed;
  }

  /** Returns the name itself, or the first one with `_v2`, `_v3` and so on that is free or has the same content. */
  *#freeName(document: MergeableDocument, section: Section, name: string): Steps<string> {
    const entry = document[section][name];
    if (entry === undefined || (yield* this.#fits(section, name, entry))) return name;
    for (let number = 2; ; number += 1) {
      if (this.#work.spend(UNITS_OF_ENTRY)) yield;
      const candidate = `${name}_v${number}`;
      if (Object.hasOwn(document[section], candidate)) continue;
      if (yield* this.#fits(section, candidate, entry)) return candidate;
    }
  }

  /** Returns whether a name is free, or has the same content: the kinds do not count. */
  *#fits(section: Section, name: string, entry: JsonValue): Steps<boolean> {
    const known = ownMember(this.#merged[section], name);
    if (known === undefined) return true;
    return yield* equalSteps(this.#work, this.#withoutKinds(known), this.#withoutKinds(entry));
  }

  #withoutKinds(entry: JsonValue): JsonValue {
    if (!isJsonObject(entry) || !Object.hasOwn(entry, this.#kindsMember)) return entry;
    return definedOnly({ ...entry, [this.#kindsMember]: undefined });
  }

  /** Returns a definition with the kinds of both. */
  #withKinds(known: JsonValue, added: JsonValue): JsonValue {
    if (!isJsonObject(known) || !isJsonObject(added)) return known;
    const kinds = this.#kindsOf(known);
    const names = new Set(kinds.map(nameOfKind));
    const more = this.#kindsOf(added).filter((kind) => !names.has(nameOfKind(kind)));
    return more.length === 0 ? known : { ...known, [this.#kindsMember]: [...kinds, ...more].sort(byKind) };
  }

  #kindsOf(definition: JsonObject): readonly JsonValue[] {
    const kinds = ownMember(definition, this.#kindsMember);
    return isArray(kinds) ? kinds : [];
  }
}

/** Returns the group, version and kind as one text, by which kinds are told apart and sorted. */
const nameOfKind = (kind: JsonValue): string =>
  isJsonObject(kind) ? ['group', 'version', 'kind'].map((member) => stringOrEmpty(kind[member])).join('\0') : '';

const byKind = (one: JsonValue, other: JsonValue): number => (nameOfKind(one) < nameOfKind(other) ? -1 : 1);
