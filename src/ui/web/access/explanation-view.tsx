import { useState } from 'preact/hooks';
import { grant, ruleText, type Binding, type Explanation } from '../data/access.js';
import { wordsOf } from '../data/api.js';
import { textOf } from '../data/yaml-lines.js';
import { PlainTable } from '../parts/plain-table.js';
import { api, info } from '../state.js';

/** Why a user may, or may not: the rule that decided, those that nearly did, and the least role to grant. */
export function ExplanationView({
  explanation,
  onGranted,
}: {
  readonly explanation: Explanation;
  readonly onGranted: () => void;
}) {
  const { allowed, decidedBy, reason, allowedBy, nearestMisses, remedy } = explanation;
  return (
    <section aria-label="Why">
      <p role="status" class={allowed ? 'ok' : 'bad'}>
        {allowed ? '✓ Yes' : '✕ No'}
        {decidedBy === undefined ? ': nothing allows it' : `, by ${decidedBy}`}
      </p>
      {reason !== '' && <p>{reason}</p>}
      {allowedBy !== undefined && (
        <p>
          {bindingText(allowedBy.binding)} → {allowedBy.binding.roleRef.kind} {allowedBy.binding.roleRef.name}:{' '}
          {ruleText(allowedBy.rule)}
        </p>
      )}
      {nearestMisses.length > 0 && (
        <>
          <h2>What nearly allows it</h2>
          <PlainTable titles={['Binding', 'Role', 'Rule', 'What is missing']}>
            {nearestMisses.map(({ binding, rule, misses }) => (
              <tr key={bindingText(binding)}>
                <td>{bindingText(binding)}</td>
                <td>{binding.roleRef.name}</td>
                <td>{rule === undefined ? '' : ruleText(rule)}</td>
                <td>{misses.map((miss) => `${miss.in} ${miss.wanted ?? ''}`.trim()).join(', ')}</td>
              </tr>
            ))}
          </PlainTable>
        </>
      )}
      {remedy !== undefined && <Remedy remedy={remedy} onGranted={onGranted} />}
    </section>
  );
}

/** Returns a binding in words. */
export const bindingText = ({ kind, namespace, name }: Binding): string =>
  `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;

function Remedy({
  remedy,
  onGranted,
}: {
  readonly remedy: NonNullable<Explanation['remedy']>;
  readonly onGranted: () => void;
}) {
  const [said, setSaid] = useState<{ readonly ok: boolean; readonly text: string } | undefined>(undefined);
  const send = async (dryRun: boolean): Promise<void> => {
    const opened = api.value;
    if (opened === undefined) return;
    try {
      await grant(opened, remedy, dryRun);
      setSaid({ ok: true, text: dryRun ? 'The server would accept this.' : 'Granted.' });
      if (!dryRun) onGranted();
    } catch (error) {
      setSaid({ ok: false, text: wordsOf(error) });
    }
  };
  return (
    <>
      <h2>The least role that would allow it</h2>
      {[remedy.role, remedy.binding].map((object) =>
        object === undefined ? null : (
          <pre class="yaml" key={object.kind} tabIndex={0} aria-label={object.kind}>
            {textOf(object)}
          </pre>
        ),
      )}
      <div class="tools">
        {!info.value.readOnly && (
          <>
            <button type="button" onClick={() => void send(true)}>
              Dry run
            </button>
            <button type="button" class="main" onClick={() => void send(false)}>
              Grant it
            </button>
          </>
        )}
        {said !== undefined && (
          <span role={said.ok ? 'status' : 'alert'} class={said.ok ? 'ok' : 'bad'}>
            {said.ok ? '✓' : '✕'} {said.text}
          </span>
        )}
      </div>
    </>
  );
}
