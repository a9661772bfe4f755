import { ApiError, type StatusCause } from '../../meta/api-error.js';
import { goQuote } from '../../meta/go-text.js';
import { pathText } from '../fieldpath/element.js';
import { difference, intersection, isEmpty, unionOf, type FieldSet } from '../fieldpath/fieldset.js';
import { paths, type Path } from '../fieldpath/paths.js';
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

  /** Returns the conflicts that remain when conflicts about some fields are allowed; undefined when none remain. */
  without(allowed: FieldSet): ConflictError | undefined {
    const rest = this.conflicts
      .map((conflict) => ({ ...conflict, fields: difference(conflict.fields, intersection(conflict.fields, allowed)) }))
      .filter((conflict) => !isEmpty(conflict.fields));
    return rest.length === 0 ? undefined : new ConflictError(rest);
  }

  /** Returns the 409 response, with one cause for each field and manager in the order of the message. */
  toApiError(): ApiError {
    const all = this.conflicts.flatMap(({ owner, fields }) =>
      [...paths(fields)].map((path) => ({ owner: ownerText(owner), path })),
    );
    const causes: StatusCause[] = all.map(({ owner, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${owner}`,
      field: pathText(path),
    }));
    return new ApiError(
      { message: this.#message(all), reason: 'Conflict', details: { causes }, code: 409 },
      { cause: this },
    );
  }

  #message(all: readonly { owner: string; path: Path }[]): string {
    const [first] = all;
    if (all.length === 1 && first !== undefined)
      return `Apply failed with 1 conflict: conflict with ${first.owner}: ${pathText(first.path)}`;
    const lines: string[] = [];
    for (const { owner, fields } of this.conflicts) {
      lines.push(`conflicts with ${ownerText(owner)}:`);
      for (const path of paths(fields)) lines.push(`- ${pathText(path)}`);
    }
    return `Apply failed with ${all.length} conflicts: ${lines.join('\n')}`;
  }
}

/** Formats a manager for messages. Only updaters show their version: an applier has one record for all versions. */
function ownerText({ manager, subresource, operation, apiVersion }: ManagerRecord): string {
  const name = subresource === '' ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
