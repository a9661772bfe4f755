import { useState } from 'preact/hooks';
import type { ControllersReport, ReportedFailure } from '../../answers.js';
import type { Loss } from '../data/loss.js';
import { readControllers, shownControllers, type ShownController } from '../data/controllers.js';
import { ClockTime } from '../parts/clock-time.js';
import { Failure } from '../parts/failure.js';
import { NotLive, staleClass } from '../parts/not-live.js';
import { PlainTable } from '../parts/plain-table.js';
import { useRepeated } from '../parts/use-repeated.js';

/** How often they are read again, in milliseconds. */
const READ_MS = 5000;

const TITLES = ['Controller', 'State', 'Waiting', 'In work', 'Retries', 'Later', 'Last error'] as const;

const STATES = { runs: '✓ runs', elsewhere: '○ runs elsewhere', waits: '○ has nothing to do yet' } as const;

/** The controllers of the server: their queues, their last errors, and which server runs them. */
export function ControllersView() {
  const [report, setReport] = useState<ControllersReport | undefined>(undefined);
  const [loss, setLoss] = useState<Loss | undefined>(undefined);
  useRepeated(
    READ_MS,
    async (opened, signal) => {
      setReport(await readControllers(opened, signal));
      setLoss(undefined);
    },
    setLoss,
  );
  if (report === undefined) return loss === undefined ? null : <Failure text={loss.words} />;
  const controllers = shownControllers(report);
  const failing = controllers.filter(({ isFailing }) => isFailing);
  const isElecting = report.identity !== '';
  return (
    <section aria-label="Controllers" class={staleClass(loss !== undefined)}>
      <div role="status">{loss !== undefined && <NotLive loss={loss} />}</div>
      <p role="status" class={failing.length === 0 ? 'ok' : 'bad'}>
        {failing.length === 0 ? '✓ No controller fails' : `✕ ${failing.length} of ${controllers.length} fail`}
      </p>
      <p class="muted">
        {isElecting
          ? `This is ${report.identity}, as it knows the controllers: the queues of other servers are shown on their pages.`
          : 'This server elects no leader: it runs all its controllers.'}
      </p>
      {report.groups.map(
        ({ name, error }) => error !== undefined && <LastError key={name} of={`Election of ${name}`} error={error} />,
      )}
      <PlainTable titles={isElecting ? [...TITLES.slice(0, 2), 'Led by', ...TITLES.slice(2)] : TITLES}>
        {controllers.map((controller) => (
          <Row key={controller.name} controller={controller} isElecting={isElecting} />
        ))}
      </PlainTable>
    </section>
  );
}

function Row({ controller, isElecting }: { readonly controller: ShownController; readonly isElecting: boolean }) {
  const { name, state, leader, waiting, active, retries, delayed, oldestMs, isFailing, error } = controller;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class={isFailing ? 'bad' : ''}>{isFailing ? '✕ fails' : STATES[state]}</td>
      {isElecting && <td>{leader}</td>}
      <td>{waiting}</td>
      <td title={active > 0 ? `for ${Math.round(oldestMs)} ms` : undefined}>{active}</td>
      <td>{retries}</td>
      <td>{delayed}</td>
      <td class="words">{error !== undefined && <LastError of="" error={error} />}</td>
    </tr>
  );
}

/** The most characters of an error that are shown before somebody asks. */
const SHORT = 200;

/** A failure, with its time and its object. */
function LastError({
  of,
  error: { time, object, message, count },
}: {
  readonly of: string;
  readonly error: ReportedFailure;
}) {
  const [isWhole, setWhole] = useState(false);
  const isLong = message.length > SHORT && !isWhole;
  return (
    <div>
      {of !== '' && `${of}: `}
      <ClockTime at={time} /> {object !== '' && <b>{object}</b>} {isLong ? `${message.slice(0, SHORT)}…` : message}{' '}
      {isLong && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}{' '}
      <span class="muted">{count === 1 ? 'once' : `${count} times`}</span>
    </div>
  );
}
