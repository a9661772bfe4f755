/** The storage engines, for tests of a whole server that run on each of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stampRevision } from '../../src/registry/records/record-codec.js';
import type { Clock } from '../../src/foundation/index.js';
import { openEtcdStorage } from '../../src/storage/etcd/index.js';
import type { Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { openSqliteStorage } from '../../src/storage/sqlite/index.js';
import { EtcdProcess, etcdVersion } from '../storage/etcd/etcd-process.js';
import { DATA_FOLDER } from '../support/data-folder.js';

/** The engines by name. */
export const engines = ['memory', 'sqlite', 'etcd'] as const;

/** Name of an engine. */
export type EngineName = (typeof engines)[number];

/** The engines available on this machine. */
export const enginesHere: readonly EngineName[] = engines.filter(
  (name) => name !== 'etcd' || etcdVersion !== undefined,
);

if (etcdVersion === undefined) console.warn('no etcd on this machine: its conformance tests are skipped');

/** The place in which an engine creates stores during the tests. */
export class EngineHome {
  readonly #name: EngineName;
  readonly #directory: string;
  readonly #etcd: EtcdProcess | undefined;
  #stores = 0;

  private constructor(name: EngineName, directory: string, etcd: EtcdProcess | undefined) {
    this.#name = name;
    this.#directory = directory;
    this.#etcd = etcd;
  }

  static async make(name: EngineName): Promise<EngineHome> {
    return new EngineHome(
      name,
      await mkdtemp(join(DATA_FOLDER, `engine-${name}-`)),
      name === 'etcd' ? await EtcdProcess.start() : undefined,
    );
  }

  /** A new store. */
  async open(clock: Clock): Promise<Storage> {
    this.#stores += 1;
    if (this.#etcd !== undefined)
      return openEtcdStorage({ endpoints: [this.#etcd.url], prefix: `/store-${this.#stores}`, clock });
    if (this.#name === 'sqlite')
      return openSqliteStorage({ path: join(this.#directory, `${this.#stores}`, 'store.db'), clock, stampRevision });
    return createMemoryStorage({ clock });
  }

  /** Flags that start a server on a new store. */
  flags(): readonly string[] {
    this.#stores += 1;
    if (this.#etcd !== undefined)
      return ['--storage=etcd', `--etcd-servers=${this.#etcd.url}`, `--etcd-prefix=/store-${this.#stores}`];
    return this.#name === 'sqlite' ? [`--data-dir=${join(this.#directory, `${this.#stores}`)}`] : ['--storage=memory'];
  }

  async remove(): Promise<void> {
    await this.#etcd?.remove();
    await rm(this.#directory, { recursive: true });
  }
}
