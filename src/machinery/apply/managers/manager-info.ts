import type { Steps } from '../../../foundation/index.js';
import type { ManagerOperation, Managers } from '../merge/managers.js';
import type { ApplyOperation, ApplyResult, FieldManagerRule, UpdateOperation } from './chain.js';
import { managerIdentifier } from './identifier.js';

/** Name of a writer that sends no name. */
const UNKNOWN_MANAGER = 'unknown';

/** Returns the name under which a writer owns fields. */
export const managerName = (manager: string): string => (manager === '' ? UNKNOWN_MANAGER : manager);

/** Identifies the writer's record by name, operation, version and subresource. */
export class ManagerInfo implements FieldManagerRule {
  readonly #next: FieldManagerRule;
  readonly #apiVersion: string;

  constructor(next: FieldManagerRule, apiVersion: string) {
    this.#next = next;
    this.#apiVersion = apiVersion;
  }

  *update(operation: UpdateOperation): Steps<Managers> {
    return yield* this.#next.update(this.#identified(operation, 'Update'));
  }

  *apply(operation: ApplyOperation): Steps<ApplyResult> {
    return yield* this.#next.apply(this.#identified(operation, 'Apply'));
  }

  #identified<Operation extends UpdateOperation | ApplyOperation>(
    write: Operation,
    operation: ManagerOperation,
  ): Operation {
    const manager = managerName(write.manager);
    const identifier = managerIdentifier({
      manager,
      operation,
      apiVersion: this.#apiVersion,
      subresource: write.subresource,
    });
    return { ...write, manager, identifier };
  }
}
