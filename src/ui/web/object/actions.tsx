import { useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { actionsOf, type Action } from '../data/actions.js';
import { wordsOf } from '../data/api.js';
import { browserClock } from '../data/clock.js';
import type { PageKind } from '../data/kinds.js';
import { Dialog } from '../parts/dialog.js';
import { api } from '../state.js';
import { Failure } from '../parts/failure.js';

/** The buttons of what can be done to an object. */
export function Actions({ kind, object }: { readonly kind: PageKind; readonly object: UntypedObject }) {
  const [asked, setAsked] = useState<Action | undefined>(undefined);
  return (
    <>
      {actionsOf(kind, object, () => browserClock.now()).map((action) => (
        <button key={action.title} type="button" onClick={() => setAsked(action)}>
          {action.title}
        </button>
      ))}
      {asked !== undefined && (
        <ActionDialog action={asked} name={object.metadata.name ?? ''} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

/** Asks whether to do something, and for the number that it takes, if any. */
export function ActionQuestion({
  action,
  number,
  onNumber,
}: {
  readonly action: Pick<Action, 'question' | 'number'>;
  readonly number: number;
  readonly onNumber: (number: number) => void;
}) {
  return (
    <label>
      {action.question}{' '}
      {action.number !== undefined && (
        <input
          type="number"
          min={0}
          max={1_000_000}
          autofocus
          value={number}
          onInput={(event) => onNumber(event.currentTarget.valueAsNumber)}
        />
      )}
    </label>
  );
}

function ActionDialog({
  action,
  name,
  onClose,
}: {
  readonly action: Action;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const [number, setNumber] = useState(action.number ?? 0);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  const title = `${action.title.replace('…', '')} ${name}`;
  const run = (event: Event): void => {
    event.preventDefault();
    if (api.value === undefined) return;
    action.run(api.value, number).then(onClose, (error: unknown) => setFailure(wordsOf(error)));
  };
  return (
    <Dialog label={title} onClose={onClose}>
      <form onSubmit={run}>
        <h1>{title}</h1>
        <ActionQuestion action={action} number={number} onNumber={setNumber} />
        {failure !== undefined && <Failure text={failure} />}
        <div class="tools">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={Number.isNaN(number)}>
            {action.title.replace('…', '')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
