import {
  isLargeWork,
  jsonText,
  runSteps,
  UNBOUNDED_WORK,
  whenReady,
  type JsonObject,
  type ManagedFieldsEntry,
  type Work,
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
import type { VersionedValue } from '../../registry/index.js';
import type { FindVersions, OtherVersions } from './other-versions.js';

/**
 * The field ownership of the objects of a kind. Ownership that was recorded in another version of the kind is compared
 * in that version; when the version has to be loaded or the conversion has to wait (a webhook), so does the result.
 */
export class FieldOwnership {
  readonly #apiVersion: string;
  readonly #findVersions: FindVersions;
  readonly #manager: FieldManager;

  constructor(options: FieldManagerOptions, findVersions: FindVersions) {
    this.#apiVersion = options.apiVersion;
    this.#findVersions = findVersions;
    this.#manager = createFieldManager(options);
  }

  /** Does what {@link FieldManager.update} does. */
  update(write: FieldManagerUpdate, work = UNBOUNDED_WORK): ManagedFieldsEntry[] | Promise<ManagedFieldsEntry[]> {
    const { live, object } = write;
    // The new object comes last: the next steps ask for it again.
    const unit = isLargeWork(work, live) || isLargeWork(work, object as JsonObject) ? work : UNBOUNDED_WORK;
    const others = this.#othersIn(live?.metadata.managedFields, this.#othersIn(object.metadata.managedFields));
    if (others === undefined) return runSteps(unit, this.#manager.updateSteps(unit, write), 'patch');
    return this.#run(others, unit, (manager) => runSteps(unit, manager.updateSteps(unit, write), 'patch'));
  }

  /** Does what {@link FieldManager.apply} does. */
  apply(write: FieldManagerApply, work = UNBOUNDED_WORK): FieldManagerApplied | Promise<FieldManagerApplied> {
    const unit = isLargeWork(work, write.applied) || isLargeWork(work, write.live) ? work : UNBOUNDED_WORK;
    const others = this.#othersIn(write.live?.metadata.managedFields);
    if (others === undefined) return runSteps(unit, this.#manager.applySteps(unit, write), 'patch');
    return this.#run(others, unit, (manager) => runSteps(unit, manager.applySteps(unit, write), 'patch'));
  }

  /** Returns the other versions of entries, and some that are known; undefined when there are none. */
  #othersIn(entries: readonly ManagedFieldsEntry[] | undefined, known?: Set<string>): Set<string> | undefined {
    let others = known;
    if (entries !== undefined)
      for (const { apiVersion = '' } of entries)
        if (apiVersion !== this.#apiVersion) (others ??= new Set()).add(apiVersion);
    return others;
  }

  #run<Result>(
    others: ReadonlySet<string>,
    unit: Work,
    task: (manager: FieldManager) => Result | Promise<Result>,
  ): Result | Promise<Result> {
    return whenReady(this.#findVersions([...others]), (versions) => {
      const manager = this.#manager.withConvert(conversionOf(versions, unit), versions.resetFields);
      return versions.asynchronous ? repeated(() => task(manager)) : task(manager);
    });
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

/** Returns the conversion of one operation. It remembers results that it had to wait for, and failures. */
function conversionOf(versions: OtherVersions, work: Work): Convert {
  const known = new Map<string, () => VersionedValue>();
  return (object, apiVersion) => {
    const key = versions.asynchronous ? `${apiVersion} ${jsonText(object)}` : '';
    const result = known.get(key);
    if (result !== undefined) return result();
    const converted = versions.convert(object, apiVersion, work);
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
