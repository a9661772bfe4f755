import type { Storage, StorageEvent } from '../../src/storage/storage.js';

/** A write that the store has committed. */
export interface Commit {
  readonly type: StorageEvent['type'];
  readonly key: string;
  readonly revision: number;
  readonly createRevision: number;
  readonly previousRevision: number;
  /** The object after the write; of a delete, that before it. */
  readonly object: StoredObject;
  /** Virtual time. */
  readonly at: number;
}

/** The part of stored objects that invariants look at. */
export interface StoredObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly spec?: { readonly [member: string]: unknown };
  readonly data?: { readonly [name: string]: string };
}

/** All writes that the store has committed, in their order: what invariants take for the truth. */
export class Ledger {
  readonly commits: Commit[] = [];
  /** Revision of the store before the first of them. */
  readonly initialRevision: number;
  /** The current objects by key. */
  readonly current = new Map<string, Commit>();
  readonly #byKey = new Map<string, Commit[]>();

  constructor(initialRevision: number) {
    this.initialRevision = initialRevision;
  }

  /** Follows an engine from its current state. */
  static async follow(engine: Storage, nowMs: () => number): Promise<Ledger> {
    const { records, revision } = await engine.list('/');
    const ledger = new Ledger(revision);
    for (const { key, text, modRevision, createRevision } of records) {
      const object = JSON.parse(text) as StoredObject;
      const at = nowMs();
      ledger.current.set(key, {
        ...{ type: 'create', key, revision: modRevision, createRevision, previousRevision: 0, object, at },
      });
    }
    engine.watch('/', revision, {
      events: (events) => events.forEach((event) => ledger.#add(event, nowMs())),
      progress: () => undefined,
      end: () => undefined,
    });
    return ledger;
  }

  /** Revision of the newest write. */
  get revision(): number {
    return this.commits.at(-1)?.revision ?? this.initialRevision;
  }

  /** Returns the writes of a key. */
  writesOf(key: string): readonly Commit[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Returns the write of a key at a revision. */
  write(key: string, revision: number): Commit | undefined {
    return this.writesOf(key).find((commit) => commit.revision === revision);
  }

  /** Returns the version of a key at a revision; undefined while it is absent. */
  versionAt(key: string, revision: number): Commit | undefined {
    const last = this.writesOf(key).findLast((commit) => commit.revision <= revision);
    return last?.type === 'delete' ? undefined : last;
  }

  #add({ type, key, revision, record, previous }: StorageEvent, at: number): void {
    const object = JSON.parse(record.text) as StoredObject;
    const { createRevision } = record;
    const commit = { type, key, revision, createRevision, previousRevision: previous?.modRevision ?? 0, object, at };
    this.commits.push(commit);
    if (type === 'delete') this.current.delete(key);
    else this.current.set(key, commit);
    const writes = this.#byKey.get(key);
    if (writes === undefined) this.#byKey.set(key, [commit]);
    else writes.push(commit);
  }
}
