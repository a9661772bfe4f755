import { atOnce, goQuote, type JsonValue, type Steps, type Work } from '../../../../foundation/index.js';
import type { DecodeLimits } from '../../codec.js';
import { DecodeProblem, requireMembers, tooManyContainers } from '../../decode-problem.js';
import { copySteps } from '../yaml-copy.js';
import { MappingMembers, type MappingKey } from '../yaml-members.js';
import { isMergeKey, scalarKey, scalarValue, type NodeScalar } from './yaml-node-scalar.js';

/** Maximum number of duplicate keys reported. */
const MAX_DUPLICATES = 100;
/** Number of values, and of members of an object, that are made in one piece. */
const PIECE = 256;
/** Estimated memory of a list or object, and of an entry or member, in bytes. */
const COLLECTION_BYTES = 64;
const ENTRY_BYTES = 24;
/** Memory that is reserved at a time, in bytes. */
const RESERVED_BYTES = 64 * 1024;

/** The counts for limits, and for the copies of an alias. */
interface Counts {
  values: number;
  containers: number;
  bytes: number;
}

/** A node with an anchor. */
interface Anchored {
  readonly scalar: NodeScalar | undefined;
  /** A list or mapping; undefined within itself. */
  collection: AnchoredCollection | undefined;
}

interface AnchoredCollection {
  readonly value: JsonValue;
  readonly members: MappingMembers | undefined;
  readonly counts: Counts;
  readonly duplicates: readonly string[];
}

/** The key of members that are merged into a mapping. */
const MERGE: unique symbol = Symbol('merge');

/** A list or mapping that is being read. */
interface OpenNode {
  /** Items of a list. */
  readonly items: JsonValue[] | undefined;
  /** Mappings of a list that is merged. */
  readonly sources: MergeSource[] | undefined;
  /** Members of a mapping. */
  readonly members: MappingMembers | undefined;
  /** Key that waits for its value. */
  key: MappingKey | typeof MERGE | undefined;
  readonly anchored: Anchored | undefined;
  readonly line: number;
  readonly before: Counts;
  readonly duplicatesBefore: number;
}

interface MergeSource {
  readonly members: MappingMembers;
  /** Whether its values belong to another part of the document, too. */
  readonly isAlias: boolean;
}

/** Limits of a document. */
export type BuildLimits = Pick<DecodeLimits, 'maxDepth' | 'maxContainers' | 'maxYamlValues'>;

/**
 * Builds the JSON value of a YAML document from its nodes, in their order. A method that returns steps needs them run
 * before the next node.
 */
export class YamlBuilder {
  /** The value of the root. */
  value: JsonValue = null;
  readonly duplicates: string[] = [];
  /** The first problem of the values. A problem of the syntax comes before it. */
  problem: DecodeProblem | undefined;
  readonly #limits: BuildLimits;
  readonly #work: Work;
  readonly #open: OpenNode[] = [];
  readonly #anchors = new Map<string, Anchored>();
  readonly #counts: Counts = { values: 0, containers: 0, bytes: 0 };
  #valuesInAliases = 0;
  #reserved = 0;

  constructor(limits: BuildLimits, work: Work) {
    this.#limits = limits;
    this.#work = work;
  }

  /** Adds a scalar. @param line where it begins, from 0 */
  scalar(scalar: NodeScalar, anchor: string | undefined, line: number): void {
    const parent = this.#open[this.#open.length - 1];
    if (parent?.members !== undefined && parent.key === undefined) {
      parent.key = isMergeKey(scalar) ? MERGE : this.#key(scalar);
      this.#count(0, 0, ENTRY_BYTES + scalar.text.length);
    } else {
      this.#count(1, 0, ENTRY_BYTES + scalar.text.length);
      this.#put(this.#try(() => scalarValue(scalar)) ?? null, line);
    }
    if (anchor !== undefined) this.#anchors.set(anchor, { scalar, collection: undefined });
  }

  #key(scalar: NodeScalar): MappingKey {
    return this.#try(() => scalarKey(scalar)) ?? { text: scalar.text, typed: undefined };
  }

  /** Begins a list or a mapping. */
  begin(isList: boolean, anchor: string | undefined, line: number): void {
    const parent = this.#open[this.#open.length - 1];
    if (this.#open.length >= this.#limits.maxDepth) throw new DecodeProblem('yaml: exceeded max depth');
    const anchored: Anchored | undefined =
      anchor === undefined ? undefined : { scalar: undefined, collection: undefined };
    if (anchor !== undefined && anchored !== undefined) this.#anchors.set(anchor, anchored);
    const isMerged = parent?.key === MERGE;
    const before = anchored === undefined ? this.#counts : { ...this.#counts };
    this.#count(1, 1, COLLECTION_BYTES + ENTRY_BYTES);
    this.#open.push({
      items: isList ? [] : undefined,
      sources: isList && isMerged ? [] : undefined,
      members: isList
        ? undefined
        : new MappingMembers(anchored !== undefined || isMerged || parent?.sources !== undefined),
      key: undefined,
      anchored,
      line,
      before,
      duplicatesBefore: this.duplicates.length,
    });
  }

  /** Ends the list or mapping that has begun last. */
  end(): Steps<void> | undefined {
    const node = this.#open.pop();
    if (node === undefined) return undefined;
    const { items, members } = node;
    if (items !== undefined) return this.#finish(node, items);
    if (members === undefined) return undefined;
    if (members.keys.length <= PIECE) return this.#finish(node, members.object());
    return this.#endMany(node, members);
  }

  *#endMany(node: OpenNode, members: MappingMembers): Steps<void> {
    const rest = this.#finish(node, yield* members.objectSteps(this.#work));
    if (rest !== undefined) yield* rest;
  }

  #finish({ anchored, sources, members, line, before, duplicatesBefore }: OpenNode, value: JsonValue) {
    if (anchored !== undefined) {
      const duplicates = this.duplicates.slice(duplicatesBefore);
      anchored.collection = { value, members, counts: this.#since(before), duplicates };
    }
    const parent = this.#open[this.#open.length - 1];
    if (sources !== undefined) return this.#merge(sources.reverse());
    if (members !== undefined && parent?.key === MERGE) return this.#merge([{ members, isAlias: false }]);
    if (members !== undefined && parent?.sources !== undefined) parent.sources.push({ members, isAlias: false });
    else this.#put(value, line);
    return undefined;
  }

  /** Adds what an anchor stands for. @throws DecodeProblem for an anchor that does not precede */
  alias(name: string, line: number): Steps<void> | undefined {
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) throw new DecodeProblem(`yaml: unknown anchor '${name}' referenced`);
    const parent = this.#open[this.#open.length - 1];
    const isKey = parent?.members !== undefined && parent.key === undefined;
    const { collection, scalar } = anchored;
    if (scalar !== undefined) this.#aliasOfScalar(scalar, isKey ? parent : undefined, line);
    else if (collection !== undefined && !isKey) return this.#aliasOfCollection(collection, parent, line);
    else {
      if (collection === undefined) this.#fail(`yaml: anchor '${name}' value contains itself`);
      this.#put(null, line);
    }
    return undefined;
  }

  #aliasOfScalar(scalar: NodeScalar, mapping: OpenNode | undefined, line: number): void {
    if (mapping !== undefined) {
      mapping.key = this.#key(scalar);
      return;
    }
    this.#valuesInAliases += 1;
    this.#count(2, 0, 2 * ENTRY_BYTES + scalar.text.length);
    this.#put(this.#try(() => scalarValue(scalar)) ?? null, line);
  }

  #aliasOfCollection(
    { value, members, counts, duplicates }: AnchoredCollection,
    parent: OpenNode | undefined,
    line: number,
  ): Steps<void> | undefined {
    this.#valuesInAliases += counts.values;
    this.#count(1 + counts.values, counts.containers, counts.bytes);
    for (const duplicate of duplicates) this.#addDuplicate(duplicate);
    if (members !== undefined && parent?.key === MERGE) return this.#merge([{ members, isAlias: true }]);
    if (members !== undefined && parent?.sources !== undefined) {
      parent.sources.push({ members, isAlias: true });
      return undefined;
    }
    const steps = copySteps(value, this.#work);
    if (counts.values > PIECE) return this.#putCopy(steps, line);
    this.#put(atOnce(steps), line);
    return undefined;
  }

  *#putCopy(steps: Steps<JsonValue>, line: number): Steps<void> {
    this.#put(yield* steps, line);
  }

  /** Merges members of mappings into the open one. */
  #merge(sources: readonly MergeSource[]): Steps<void> | undefined {
    const steps = this.#mergeSteps(sources);
    const count = sources.reduce((sum, { members }) => sum + members.keys.length, 0);
    if (count > PIECE || sources.some(({ isAlias }) => isAlias)) return steps;
    atOnce(steps);
  }

  *#mergeSteps(sources: readonly MergeSource[]): Steps<undefined> {
    const parent = this.#open[this.#open.length - 1];
    if (parent?.members === undefined) return undefined;
    parent.key = undefined;
    for (const { members, isAlias } of sources) {
      for (const [index, { key, line }] of (members.sources ?? []).entries()) {
        const value = members.values[index] ?? null;
        this.#set(parent.members, key, isAlias ? yield* copySteps(value, this.#work) : value, line);
        if (this.#work.spend(4)) yield;
      }
    }
    return undefined;
  }

  /** Adds a value to the open list or mapping. */
  #put(value: JsonValue, line: number): void {
    const parent = this.#open[this.#open.length - 1];
    if (parent === undefined) {
      this.value = value;
    } else if (parent.sources !== undefined || parent.key === MERGE) {
      parent.key = undefined;
      this.#fail('yaml: map merge requires map or sequence of maps as the value');
    } else if (parent.items !== undefined) {
      parent.items.push(value);
    } else if (parent.key === undefined) {
      this.#fail('yaml: invalid map key');
      parent.key = { text: '', typed: undefined };
    } else if (parent.members !== undefined) {
      this.#set(parent.members, parent.key, value, line);
      parent.key = undefined;
    }
  }

  #set(members: MappingMembers, key: MappingKey, value: JsonValue, line: number): void {
    const isRepeated = members.set(key, value, line);
    requireMembers(members.keys.length);
    if (!isRepeated || this.duplicates.length >= MAX_DUPLICATES) return;
    const text = key.typed === undefined ? goQuote(key.text) : key.text;
    this.#addDuplicate(`line ${line + 1}: key ${text} already set in map`);
  }

  #addDuplicate(text: string): void {
    if (this.duplicates.length < MAX_DUPLICATES) this.duplicates.push(text);
  }

  #fail(message: string): void {
    this.problem ??= new DecodeProblem(message);
  }

  /** Runs a function. Its problem becomes that of the document. */
  #try<Result>(read: () => Result): Result | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DecodeProblem)) throw error;
      this.problem ??= error;
      return undefined;
    }
  }

  #since({ values, containers, bytes }: Counts): Counts {
    const now = this.#counts;
    return { values: now.values - values, containers: now.containers - containers, bytes: now.bytes - bytes };
  }

  /**
   * Counts values before they are made. Like Go's YAML library, refuses a document in which aliases exceed a share that
   * falls with its size.
   *
   * @throws DecodeProblem for too many values, and what the work throws; ApiError 413 for too many lists and objects
   */
  #count(values: number, containers: number, bytes: number): void {
    const counts = this.#counts;
    counts.values += values;
    counts.containers += containers;
    counts.bytes += bytes;
    if (this.#valuesInAliases > 100 && counts.values > 1000) this.#checkAliases();
    const { maxYamlValues, maxContainers } = this.#limits;
    if (counts.values > maxYamlValues) throw new DecodeProblem(`yaml: document has more than ${maxYamlValues} values`);
    if (counts.containers > maxContainers) throw tooManyContainers(maxContainers);
    if (counts.bytes - this.#reserved < RESERVED_BYTES) return;
    this.#work.reserve(counts.bytes - this.#reserved);
    this.#reserved = counts.bytes;
  }

  #checkAliases(): void {
    const { values } = this.#counts;
    const allowed =
      values <= 400_000 ? 0.99 : values >= 4_000_000 ? 0.1 : 0.99 - 0.89 * ((values - 400_000) / 3_600_000);
    if (this.#valuesInAliases / values > allowed) throw new DecodeProblem('yaml: document contains excessive aliasing');
  }
}
