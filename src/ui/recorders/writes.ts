import {
  isJsonObject,
  jsonText,
  parsedJson,
  shareTurn,
  stringOrEmpty,
  type Clock,
  type JsonObject,
} from '../../foundation/index.js';
import type { Catalogue, ResourceInfo } from '../../registry/index.js';
import type { Revision, Storage, StorageEvent, StorageRecord, StorageWatch } from '../../storage/index.js';
import { Listeners } from './listeners.js';
import { Ring, type OpenRecordings } from './ring.js';

/** A write of an object. */
export interface RecordedWrite {
  readonly version: Revision;
  /** The time at which the recorder saw it, in milliseconds since the epoch. */
  readonly time: number;
  readonly type: StorageEvent['type'];
  readonly group: string;
  readonly resource: string;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** The field manager that wrote last; empty when it is not known, and for a delete. */
  readonly manager: string;
}

/** Number of writes that are kept. */
const MOST = 10_000;
/** Longest text that is decoded to find its manager. */
const LONGEST_DECODED = 16 * 1024;
/** Pause before a watch that has failed is opened again, in milliseconds. */
const PAUSE_MS = 1000;

/** Memory of a write besides its names, in bytes. */
const ENTRY_BYTES = 160;

/** Returns the memory of a write. Groups and resources are those of the catalogue; names are of ASCII. */
const bytesOf = ({ namespace, name, manager }: RecordedWrite): number =>
  ENTRY_BYTES + namespace.length + name.length + manager.length;

/** The parts of a server that the recorder reads. */
export interface WriteRecorderParts {
  readonly storage: Storage;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly openRecordings: OpenRecordings;
}

/** Number of events that wait to be recorded from which on no manager is looked for. */
const MOST_DECODED = 1000;

/** An event of the storage, and the time at which the recorder saw it. */
interface SeenEvent {
  readonly event: StorageEvent;
  readonly time: number;
}

/** The newest writes of objects, from the start of the recorder on. */
export class WriteRecorder {
  readonly #parts: WriteRecorderParts;
  readonly #ring: Ring<RecordedWrite>;
  readonly #listeners = new Listeners<RecordedWrite>();
  readonly #kinds: Kinds;
  #watch: StorageWatch | undefined;
  #waiting: SeenEvent[] = [];
  #isRecording = false;
  #recorded = Promise.resolve();
  #stopped = false;
  #begun: { readonly version: Revision; readonly time: number } | undefined;

  constructor(parts: WriteRecorderParts) {
    this.#parts = parts;
    this.#kinds = new Kinds(parts.catalogue);
    this.#ring = new Ring({ most: MOST, bytesOf, open: parts.openRecordings });
  }

  /** The version and time from which on all writes are known; undefined before the first one is. */
  get oldest(): { readonly version: Revision; readonly time: number } | undefined {
    const { dropped } = this.#ring;
    return dropped === undefined ? this.#begun : (this.#ring.at(0) ?? dropped);
  }

  /** The newest write. */
  get newest(): RecordedWrite | undefined {
    return this.#ring.at(this.#ring.size - 1);
  }

  /** Resolves when all writes that the recorder has seen until now are recorded. */
  get recorded(): Promise<void> {
    return this.#recorded;
  }

  /** The writes, the newest first. */
  newestFirst(): Iterable<RecordedWrite> {
    return this.#ring.newestFirst();
  }

  /** Calls back for each write from now on. @returns a function that ends it */
  follow(listener: (write: RecordedWrite) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Begins with the current state. While the storage fails, it tries again. */
  async start(): Promise<void> {
    try {
      this.#open(await this.#parts.storage.currentRevision());
    } catch {
      this.#restart();
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#watch?.stop();
    this.#ring.close();
  }

  #open(version: Revision): void {
    if (this.#stopped) return;
    const { storage, clock } = this.#parts;
    this.#begun ??= { version, time: clock.now() };
    this.#watch = storage.watch('', version, {
      events: (events) => this.#see(events),
      progress: () => undefined,
      end: ({ kind }) => {
        if (kind !== 'closed') this.#restart();
      },
    });
  }

  #restart(): void {
    if (!this.#stopped) this.#parts.clock.after(PAUSE_MS, () => void this.start());
  }

  #see(events: readonly StorageEvent[]): void {
    const time = this.#parts.clock.now();
    for (const event of events) this.#waiting.push({ event, time });
    if (!this.#isRecording) this.#recorded = this.#record();
  }

  /** Records the events that wait, in several turns when they are many: their objects may have to be decoded. */
  async #record(): Promise<void> {
    this.#isRecording = true;
    while (this.#waiting.length > 0 && !this.#stopped) {
      const seen = this.#waiting;
      this.#waiting = [];
      for (const [index, each] of seen.entries()) {
        const turn = shareTurn();
        if (turn !== undefined) await turn;
        this.#add(each, seen.length - index + this.#waiting.length <= MOST_DECODED);
      }
    }
    this.#isRecording = false;
  }

  #add({ event: { type, key, revision, record, previous }, time }: SeenEvent, findsManager: boolean): void {
    const info = this.#kinds.ofKey(key);
    if (info === undefined) return;
    const write = {
      ...{ version: revision, time, type },
      ...{ group: info.group, resource: info.resource, ...info.placeOf(key) },
      manager: type === 'delete' || !findsManager ? '' : managerOf(record, previous),
    };
    this.#ring.add(write);
    this.#listeners.tell(write);
  }
}

/** The kinds of the catalogue by the prefix of their keys. */
class Kinds {
  readonly #catalogue: Catalogue;
  #resources: Catalogue['resources'] | undefined;
  #byPrefix = new Map<string, ResourceInfo>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Returns the kind of the object that is stored under a key; undefined for what is not an object. */
  ofKey(key: string): ResourceInfo | undefined {
    const { resources } = this.#catalogue;
    if (this.#resources !== resources) {
      this.#resources = resources;
      this.#byPrefix = new Map();
      // The first version of a kind is the preferred one.
      for (const info of resources) if (!this.#byPrefix.has(info.keyPrefix)) this.#byPrefix.set(info.keyPrefix, info);
    }
    for (let slash = key.lastIndexOf('/'); slash > 0; slash = key.lastIndexOf('/', slash - 1)) {
      const found = this.#byPrefix.get(key.slice(0, slash + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Returns the field manager whose entry a write has changed: the newest, and of several in one second the one that differs. */
function managerOf(record: StorageRecord, previous: StorageRecord | undefined): string {
  const entries = managedFieldsOf(record);
  const timeOf = ({ time }: JsonObject): string => stringOrEmpty(time);
  const newest = entries.reduce((latest, entry) => (timeOf(entry) > latest ? timeOf(entry) : latest), '');
  const candidates = entries.filter((entry) => timeOf(entry) === newest);
  const [first] = candidates;
  if (candidates.length < 2 || record.text.length > LONGEST_DECODED) return stringOrEmpty(first?.['manager']);
  const before = new Set(previous === undefined ? [] : managedFieldsOf(previous).map((entry) => jsonText(entry)));
  const changed = candidates.find((entry) => !before.has(jsonText(entry))) ?? first;
  return stringOrEmpty(changed?.['manager']);
}

function managedFieldsOf({ decoded, text }: StorageRecord): JsonObject[] {
  const object = decoded ?? (text.length > LONGEST_DECODED ? undefined : parsedJson(text));
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  const entries = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(entries) ? entries.filter(isJsonObject) : [];
}
