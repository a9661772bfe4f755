import type { FieldChange } from '../../../foundation/index.js';
import { wordsOf } from '../data/api.js';
import { Failure } from '../parts/failure.js';
import { shownValue } from '../parts/shown-value.js';
import { keyOf } from './conflicts.js';

/** The outcome of a dry run or a save. */
export type Answer =
  | { readonly is: 'tried'; readonly changes: readonly FieldChange[]; readonly stays: readonly FieldChange[] }
  | { readonly is: 'saved'; readonly version: string | undefined; readonly stays: readonly FieldChange[] }
  | { readonly is: 'failed'; readonly error: unknown };

/** Says what a dry run or a save has done. */
export function AnswerView({ answer }: { readonly answer: Answer }) {
  if (answer.is === 'failed') return <Failure text={wordsOf(answer.error)} />;
  if (answer.is === 'saved')
    return (
      <>
        <p role="status">✓ Saved as version {answer.version}</p>
        <Stays fields={answer.stays} />
      </>
    );
  return (
    <section role="status" aria-label="Dry run">
      <p>✓ The server would accept this{answer.changes.length === 0 ? ' as it is.' : ', and change:'}</p>
      <ul>
        {answer.changes.map(({ path, before, after }) => (
          <li key={keyOf(path)}>
            <b>{path.join('.')}</b>: {shownValue(before)} → {shownValue(after)}
          </li>
        ))}
      </ul>
      <Stays fields={answer.stays} />
    </section>
  );
}

/** Says which fields an apply could not remove. */
function Stays({ fields }: { readonly fields: readonly FieldChange[] }) {
  if (fields.length === 0) return null;
  return (
    <p class="warn">
      ▲ These stay, since others own them: {fields.map(({ path }) => path.join('.')).join(', ')}. Save fields removes
      them.
    </p>
  );
}
