import { useState } from 'preact/hooks';
import { actionsOfKind, type KindAction } from '../data/actions.js';
import type { PageKind } from '../data/kinds.js';
import type { Row } from '../data/rows.js';
import { info } from '../state.js';
import { BulkDialog } from './bulk-dialog.js';

/** What can be done to all selected rows. */
export type BulkChoice =
  { readonly is: 'delete' } | { readonly is: 'label' } | { readonly is: 'act'; readonly action: KindAction };

interface BulkToolsProps {
  readonly kind: PageKind;
  /** The selected rows. */
  readonly rows: readonly Row[];
  readonly onPick: (rows: readonly Row[], on: boolean) => void;
  readonly onPickNone: () => void;
}

/** How many rows are selected, and what can be done to them. */
export function BulkTools({ kind, rows, onPick, onPickNone }: BulkToolsProps) {
  // The rows of the dialog stay those that it began with.
  const [asked, setAsked] = useState<{ readonly choice: BulkChoice; readonly rows: readonly Row[] } | undefined>();
  const ask = (choice: BulkChoice): void => setAsked({ choice, rows });
  const has = (verb: string): boolean => rows.length > 0 && kind.verbs.includes(verb) && !info.value.readOnly;
  return (
    <div class="tools" role="toolbar" aria-label="Selected rows">
      <span role="status">{rows.length} selected:</span>
      {has('patch') && (
        <button type="button" onClick={() => ask({ is: 'label' })}>
          Label…
        </button>
      )}
      {has('patch') &&
        actionsOfKind(kind).map((action) => (
          <button key={action.title} type="button" onClick={() => ask({ is: 'act', action })}>
            {action.title}
          </button>
        ))}
      {has('delete') && (
        <button type="button" class="danger" onClick={() => ask({ is: 'delete' })}>
          Delete…
        </button>
      )}
      <button type="button" onClick={onPickNone}>
        Select none
      </button>
      {asked !== undefined && (
        <BulkDialog
          {...{ kind, ...asked }}
          onDone={(done) => onPick(done, false)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}
