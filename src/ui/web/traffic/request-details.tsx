import { useEffect, useState } from 'preact/hooks';
import type { RecordedBodies, RecordedRequest } from '../../answers.js';
import { wordsOf } from '../data/api.js';
import { bodyText, bytesText, curlOf, kubectlOf, readBodies } from '../data/traffic.js';
import { Failure } from '../parts/failure.js';
import { api } from '../state.js';

/** A request in full: as commands that send it again, and with its bodies. */
export function RequestDetails({ request }: { readonly request: RecordedRequest }) {
  const root = api.value?.root;
  if (root === undefined) return null;
  const kubectl = kubectlOf(request);
  return (
    <>
      <p>
        {request.method} {request.path}
        {request.query === '' ? '' : `?${request.query}`} · {request.userAgent} · sent {bytesText(request.bytesIn)} ·
        audit id {request.auditId}
      </p>
      <Command name="curl" text={curlOf(request, root)} />
      {kubectl !== undefined && <Command name="kubectl" text={kubectl} />}
      <Bodies request={request} />
    </>
  );
}

function Command({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <p>
      <code>{text}</code>{' '}
      <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
        Copy as {name}
      </button>
    </p>
  );
}

/** The bodies of a request, which are read when they are asked for. */
function Bodies({ request }: { readonly request: RecordedRequest }) {
  const [asked, setAsked] = useState(false);
  const [bodies, setBodies] = useState<RecordedBodies | undefined>(undefined);
  const [failure, setFailure] = useState<string | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const opened = api.value;
    if (asked && opened !== undefined)
      readBodies(opened, request.number, leaving.signal).then(
        setBodies,
        (error: unknown) => leaving.signal.aborted || setFailure(wordsOf(error)),
      );
    return () => leaving.abort();
  }, [asked, request.number]);
  if (request.level !== 'Request' && request.level !== 'RequestResponse')
    return (
      <p class="muted">
        Bodies are not recorded: the audit policy has the level {request.level === '' ? 'None' : request.level} for it.
      </p>
    );
  if (!asked)
    return (
      <button type="button" onClick={() => setAsked(true)}>
        Show the bodies
      </button>
    );
  if (failure !== undefined) return <Failure text={failure} />;
  if (bodies === undefined) return <p class="muted">Loading…</p>;
  const { tooLong, lengths } = bodies;
  return (
    <>
      {tooLong && <p class="warn">▲ The audit log left out a body that is longer than its longest event.</p>}
      <Body title="Body" text={bodies.request} length={lengths[0]} />
      <Body title="Answer" text={bodies.response} length={lengths[1]} />
    </>
  );
}

function Body({
  title,
  text,
  length,
}: {
  readonly title: string;
  readonly text: string | undefined;
  readonly length: number;
}) {
  if (text === undefined) return null;
  return (
    <>
      <h3>
        {title}{' '}
        <span class="muted">{text.length < length ? `the first ${text.length} of ${length} characters` : ''}</span>
      </h3>
      <pre class="yaml" tabIndex={0} aria-label={title}>
        {bodyText(text)}
      </pre>
    </>
  );
}
