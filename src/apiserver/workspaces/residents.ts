import { durationMs, errors, type Clock, type Duration, type Timer } from '../../foundation/index.js';
import type { ControllerName } from '../controllers/controller-names.js';
import type { WorkspaceEntry } from './directory.js';
import type { Resident } from './resident.js';

/** Controllers that wait only for their next sweep. A workspace that nobody uses needs no sweeps. */
const SWEEPERS: ReadonlySet<string> = new Set<ControllerName>([
  'csrcleaner',
  'resourcequota',
  'priority-and-fairness-config-producer',
  'priority-and-fairness-config-consumer',
]);

/** A workspace that is in memory, is being loaded, or is being unloaded. */
interface Place {
  readonly entry: WorkspaceEntry;
  /** Undefined until it is loaded. */
  resident: Resident | undefined;
  readonly loading: Promise<Resident>;
  /** Number of requests, connections and other uses that keep it in memory. */
  users: number;
  /** Time of its last use, in milliseconds since the epoch. */
  usedMs: number;
  leaving: Promise<void> | undefined;
}

/** A use of a workspace, which stays in memory until it ends. */
export interface Stay {
  readonly resident: Resident;
  /** Ends the use. Further calls do nothing. */
  end(): void;
}

/** The workspaces in memory: loaded by their first use, and unloaded when nothing has used them for some time. */
export class Residents {
  readonly #load: (entry: WorkspaceEntry) => Promise<Resident>;
  readonly #clock: Clock;
  readonly #unloadAfterMs: number;
  readonly #maxLoaded: number;
  readonly #places = new Map<string, Place>();
  #timer: Timer | undefined;

  /**
   * @param options.unloadAfter time without a use after which a workspace is unloaded
   * @param options.maxLoaded most workspaces in memory
   */
  constructor(
    load: (entry: WorkspaceEntry) => Promise<Resident>,
    options: { readonly clock: Clock; readonly unloadAfter: Duration; readonly maxLoaded: number },
  ) {
    this.#load = load;
    this.#clock = options.clock;
    this.#unloadAfterMs = durationMs(options.unloadAfter);
    this.#maxLoaded = options.maxLoaded;
  }

  /** Number of workspaces in memory. */
  get size(): number {
    return this.#places.size;
  }

  /** Returns whether a workspace is in memory and serves. */
  has(id: string): boolean {
    const place = this.#places.get(id);
    return place?.resident !== undefined && place.leaving === undefined;
  }

  /** Uses a workspace: at once if it is loaded. @throws the failure of loading it */
  use(entry: WorkspaceEntry): Stay | Promise<Stay> {
    const place = this.#places.get(entry.id) ?? this.#open(entry);
    if (place.leaving !== undefined)
      return place.leaving.then(
        () => this.use(entry),
        () => this.use(entry),
      );
    place.users += 1;
    if (place.resident !== undefined) return this.#stay(place, place.resident);
    return place.loading.then(
      (resident) => this.#stay(place, resident),
      (error: unknown) => {
        place.users -= 1;
        throw error;
      },
    );
  }

  /** Removes a workspace from memory, even while it is used. @throws the failure of the end of its server */
  async evict(id: string): Promise<void> {
    const place = this.#places.get(id);
    if (place !== undefined) await this.#leave(place);
  }

  /** Removes all workspaces from memory. @throws the first failure, after all have ended */
  async close(): Promise<void> {
    this.#timer?.cancel();
    const ends = await Promise.allSettled([...this.#places.values()].map((place) => this.#leave(place)));
    this.#timer?.cancel();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  #open(entry: WorkspaceEntry): Place {
    if (this.#places.size >= this.#maxLoaded) this.#makeRoom();
    const loading = this.#load(entry);
    const place: Place = {
      ...{ entry, loading, resident: undefined, users: 0, usedMs: this.#clock.now(), leaving: undefined },
    };
    this.#places.set(entry.id, place);
    loading.then(
      (resident) => {
        place.resident = resident;
      },
      // The next use tries again.
      () => this.#forget(place),
    );
    this.#timer ??= this.#clock.after(this.#unloadAfterMs, () => this.#sweep());
    return place;
  }

  /** Unloads the workspace that nobody has used for the longest time. @throws ApiError 429 while all are in use */
  #makeRoom(): void {
    let staying = 0;
    let longest: Place | undefined;
    for (const place of this.#places.values()) {
      if (place.leaving !== undefined) continue;
      staying += 1;
      if (isIdle(place) && place.usedMs < (longest?.usedMs ?? Infinity)) longest = place;
    }
    if (staying < this.#maxLoaded) return;
    if (longest === undefined)
      throw errors.tooManyRequests('too many workspaces are in use, please try again later', 1);
    this.#leave(longest).catch(() => undefined);
  }

  #stay(place: Place, resident: Resident): Stay {
    let over = false;
    return {
      resident,
      end: () => {
        if (over) return;
        over = true;
        place.users -= 1;
        place.usedMs = this.#clock.now();
      },
    };
  }

  /** Unloads what has not been used. Controllers that work, or wait for a time, keep their workspace. */
  #sweep(): void {
    this.#timer = undefined;
    const before = this.#clock.now() - this.#unloadAfterMs;
    for (const place of this.#places.values()) {
      if (place.usedMs <= before && isIdle(place)) this.#leave(place).catch(() => undefined);
    }
    if (this.#places.size > 0) this.#timer = this.#clock.after(this.#unloadAfterMs / 2, () => this.#sweep());
  }

  #leave(place: Place): Promise<void> {
    place.leaving ??= place.loading
      .then(
        async ({ server, usage }) => {
          usage.stop();
          await server.close();
        },
        () => undefined,
      )
      .finally(() => this.#forget(place));
    return place.leaving;
  }

  /** Forgets a place, unless another one has taken its id. */
  #forget(place: Place): void {
    if (this.#places.get(place.entry.id) === place) this.#places.delete(place.entry.id);
  }
}

/** Returns whether a workspace serves nobody, and has nothing to do. */
const isIdle = ({ users, resident }: Place): boolean => users === 0 && resident !== undefined && !hasWork(resident);

/** Returns whether controllers of a workspace work, or wait for a time. */
const hasWork = ({ server }: Resident): boolean =>
  server.busyControllers().some(({ name, isWorking, delayed }) => isWorking || (delayed > 0 && !SWEEPERS.has(name)));
