import {
  isLargeWork,
  jsonText,
  runSteps,
  UNBOUNDED_WORK,
  type JsonObject,
  type ManagedFieldsEntry,
} from '../../foundation/index.js';
import {
  ConversionPending,
  createFieldManager,
  type Convert,
  type FieldManager,
  type FieldManagerApplied,
  type FieldManagerApply,
  type FieldManagerOptions,
  type FieldManagerUpdate,
} from '../../machinery/index.js';
import type { StoredVersions, VersionedValue } from '../../registry/index.js';

/**
 * The field ownership of the objects of a kind. Ownership that was recorded in another version of the kind is compared
 * in that version; when the conversion has to wait (a webhook), so does the result.
 */
export class FieldOwnership {
  readonly #apiVersion: string;
  readonly #versions: StoredVersions | undefined;
  readonly #manager: FieldManager;

  /** @param versions the versions of the kind; undefined for a kind that is stored in one */
  constructor(options: FieldManagerOptions, versions: StoredVersions | undefined) {
    this.#apiVersion = options.apiVersion;
    this.#versions = versions;
    this.#manager = createFieldManager(options);
  }

  /** Does what {@link FieldManager.update} does. */
  update(write: FieldManagerUpdate, work = UNBOUNDED_WORK): ManagedFieldsEntry[] | Promise<ManagedFieldsEntry[]> {
    const { live, object } = write;
    // The new object comes last: the next steps ask for it again.
    const unit = isLargeWork(work, live) || isLargeWork(work, object as JsonObject) ? work : UNBOUNDED_WORK;
    if (this.#versions === undefined) return runSteps(unit, this.#manager.updateSteps(unit, write), 'patch');
    const other = this.#isOther(live?.metadata.managedFields) || this.#isOther(object.metadata.managedFields);
    return this.#run(this.#versions, other, (manager) => runSteps(unit, manager.updateSteps(unit, write), 'patch'));
  }

  /** Does what {@link FieldManager.apply} does. */
  apply(write: FieldManagerApply, work = UNBOUNDED_WORK): FieldManagerApplied | Promise<FieldManagerApplied> {
    const unit = isLargeWork(work, write.applied) || isLargeWork(work, write.live) ? work : UNBOUNDED_WORK;
    if (this.#versions === undefined) return runSteps(unit, this.#manager.applySteps(unit, write), 'patch');
    return this.#run(this.#versions, this.#isOther(write.live?.metadata.managedFields), (manager) =>
      runSteps(unit, manager.applySteps(unit, write), 'patch'),
    );
  }

  /** Returns whether entries are of another version. */
  #isOther(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
    return entries?.some(({ apiVersion }) => apiVersion !== this.#apiVersion) ?? false;
  }

  #run<Result>(
    versions: StoredVersions,
    converts: boolean,
    task: (manager: FieldManager) => Result | Promise<Result>,
  ): Result | Promise<Result> {
    if (!converts) return task(this.#manager);
    const manager = this.#manager.withConvert(rememberedConversions(versions));
    return versions.asynchronous ? repeated(() => task(manager)) : task(manager);
  }
}

/** Repeats a task until every conversion that it needs is known. */
async function repeated<Result>(task: () => Result | Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof ConversionPending)) throw error;
      await error.done;
    }
  }
}

/** Returns a conversion that remembers its results, and its failures, for one operation. */
function rememberedConversions(versions: StoredVersions): Convert {
  const known = new Map<string, () => VersionedValue>();
  return (object: JsonObject, apiVersion: string) => {
    const key = `${apiVersion} ${jsonText(object)}`;
    const result = known.get(key);
    if (result !== undefined) return result();
    const converted = versions.convert(object, apiVersion);
    if (!(converted instanceof Promise)) return converted;
    const done = converted.then(
      (value) => void known.set(key, () => value),
      (error: unknown) =>
        void known.set(key, () => {
          throw error;
        }),
    );
    throw new ConversionPending(done);
  };
}
