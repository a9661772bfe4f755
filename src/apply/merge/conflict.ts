import { ApiError, type StatusCause } from '../../meta/api-error.js';
import { goQuote } from '../../meta/go-text.js';
import { pathText } from '../fieldpath/element.js';
import { difference, intersection, isEmpty, unionOf, type FieldSet } from '../fieldpath/fieldset.js';
import { paths } from '../fieldpath/paths.js';
import type { ManagerRecord } from './managers.js';

/** Fields of other managers that an apply would change. */
export interface Conflict {
  /** Identifier of the other manager. */
  readonly identifier: string;
  readonly owner: ManagerRecord;
  readonly fields: FieldSet;
}

/** Thrown by an apply that would change fields of other managers and is not forced. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  /** Sorted by the manager's identifier; at least one, none empty. */
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super('apply conflicts with other managers');
    this.conflicts = [...conflicts].sort((a, b) => (a.identifier < b.identifier ? -1 : 1));
  }

  /** All fields in conflict. */
  get fields(): FieldSet {
    return unionOf(this.conflicts.map((conflict) => conflict.fields));
  }

  /** Returns the conflicts that remain when conflicts on some fields are allowed; undefined when none remain. */
  without(allowed: FieldSet): ConflictError | undefined {
    const rest = this.conflicts
      .map((conflict) => ({ ...conflict, fields: difference(conflict.fields, intersection(conflict.fields, allowed)) }))
      .filter((conflict) => !isEmpty(conflict.fields));
    return rest.length === 0 ? undefined : new ConflictError(rest);
  }

  /** Returns the 409 response, with one cause for each field and manager in the order of the message. */
  toApiError(): ApiError {
    const causes: StatusCause[] = [];
    const lines: string[] = [];
    for (const { owner, fields } of this.conflicts) {
      const message = `conflict with ${ownerText(owner)}`;
      lines.push(`conflicts with ${ownerText(owner)}:`);
      for (const path of paths(fields)) {
        const field = pathText(path);
        lines.push(`- ${field}`);
        causes.push({ reason: 'FieldManagerConflict', message, field });
      }
    }
    const [only] = causes;
    const message =
      causes.length === 1 && only !== undefined
        ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
        : `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
    return new ApiError({ message, reason: 'Conflict', details: { causes }, code: 409 }, { cause: this });
  }
}

/** Formats a manager for messages. Only updaters show their version: an applier has one record for all versions. */
function ownerText({ manager, subresource, operation, apiVersion }: ManagerRecord): string {
  const name = subresource === '' ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
