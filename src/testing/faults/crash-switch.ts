import { decorateStorage, StorageError, type Storage, type StorageRecord } from '../../storage/index.js';

/** The fate of the write during which a server crashes: it is stored although nobody learns of it, or it is not. */
export type LastWrite = 'kept' | 'lost';

/** When a server crashes. */
export interface CrashPlan {
  /** Number of further writes that are acknowledged. */
  readonly afterWrites: number;
  readonly lastWrite: LastWrite;
  /** Called when the server crashes. */
  readonly crashed: () => void;
}

/**
 * Lets a server crash: from one moment on, what it writes never reaches the storage. The next server on the same storage
 * lives again.
 */
export class CrashSwitch {
  /** The life of the current server. */
  #life = { alive: true };
  /** The planned crashes, with the number of writes since each was planned. */
  readonly #plans = new Map<CrashPlan, number>();

  /** Whether the current server has crashed. */
  get down(): boolean {
    return !this.#life.alive;
  }

  /** Plans a crash. */
  add(plan: CrashPlan): void {
    this.#plans.set(plan, 0);
  }

  /** Cancels a planned crash. */
  cancel(plan: CrashPlan): void {
    this.#plans.delete(plan);
  }

  /** Crashes the current server now, as a plan says. */
  crash(plan: CrashPlan): void {
    this.#plans.delete(plan);
    if (this.down) return;
    this.#life.alive = false;
    plan.crashed();
  }

  /** Returns the storage of a new server, which lives. */
  storage(inner: Storage): Storage {
    const life = { alive: true };
    this.#life = life;
    const write = async (run: () => Promise<StorageRecord>): Promise<StorageRecord> => {
      if (!life.alive) throw dead();
      const due = [...this.#plans].find(([plan, written]) => written >= plan.afterWrites)?.[0];
      if (due === undefined) {
        const record = await run();
        for (const [plan, written] of this.#plans) this.#plans.set(plan, written + 1);
        return record;
      }
      if (due.lastWrite === 'kept') await run();
      this.crash(due);
      throw dead();
    };
    return decorateStorage(inner, {
      fork: inner.fork?.bind(inner),
      create: (...given) => write(() => inner.create(...given)),
      update: (...given) => write(() => inner.update(...given)),
      delete: (...given) => write(() => inner.delete(...given)),
      compact: (...given) => (life.alive ? inner.compact(...given) : Promise.reject(dead())),
    });
  }
}

const dead = (): StorageError => new StorageError('Unavailable', { message: 'the server has crashed' });
