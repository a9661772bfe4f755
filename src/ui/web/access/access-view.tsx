import { useEffect, useState } from 'preact/hooks';
import { explain, matrix, namesIn, whoCan, type Explanation, type Matrix, type WhoCan } from '../data/access.js';
import type { AccessQuery } from '../data/address.js';
import { wordsOf } from '../data/api.js';
import { api, go, viewAs } from '../state.js';
import { ExplanationView } from './explanation-view.js';
import { MatrixView, WhoCanView } from './subjects-view.js';
import { Failure } from '../parts/failure.js';

/** The verbs of a matrix. */
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

const FIELDS = [
  ['user', 'User', 'yourself'],
  ['groups', 'in the groups', 'none'],
  ['verb', 'may', 'get'],
  ['resource', 'on', 'pods, or a path such as /metrics'],
  ['group', 'of the group', 'core'],
  ['namespace', 'in', 'all namespaces'],
  ['name', 'named', 'any'],
] as const;

type Answer =
  | { readonly is: 'why'; readonly explanation: Explanation }
  | { readonly is: 'who'; readonly who: WhoCan }
  | { readonly is: 'matrix'; readonly matrix: Matrix }
  | { readonly is: 'failed'; readonly message: string };

/** Answers who may do what, and why. */
export function AccessView({ query }: { readonly query: AccessQuery }) {
  const [asked, setAsked] = useState(query);
  const [users, setUsers] = useState('');
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  const opened = api.value;
  const run = (ask: () => Promise<Answer>): void => {
    go({ at: 'access', query: asked }, true);
    ask().then(setAnswer, (error: unknown) => setAnswer({ is: 'failed', message: wordsOf(error) }));
  };
  const why = (): void => {
    if (opened !== undefined) run(async () => ({ is: 'why', explanation: await explain(opened, resourceOnly(asked)) }));
  };
  useEffect(() => {
    document.title = 'Access';
    // An address that asks is answered.
    if (query.resource !== '') why();
  }, []);
  if (opened === undefined) return null;
  const named = namesIn(users);
  return (
    <main>
      <h1>Access</h1>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          why();
        }}
      >
        {FIELDS.map(([name, label, placeholder]) => (
          <label key={name}>
            {label}
            <input
              name={name}
              value={asked[name]}
              placeholder={placeholder}
              onInput={(event) => {
                const value = event.currentTarget.value.trim();
                setAsked((before) => ({ ...before, [name]: value }));
              }}
            />
          </label>
        ))}
        <button type="submit" class="main" disabled={asked.resource === ''}>
          Why?
        </button>
        <button
          type="button"
          disabled={asked.resource === ''}
          onClick={() => run(async () => ({ is: 'who', who: await whoCan(opened, resourceOnly(asked)) }))}
        >
          Who can?
        </button>
        <button
          type="button"
          title="Shows the page as this user sees it, to those who may impersonate the user"
          disabled={asked.user === ''}
          onClick={() => {
            viewAs({ user: asked.user, groups: namesIn(asked.groups) }).catch((error: unknown) =>
              setAnswer({ is: 'failed', message: wordsOf(error) }),
            );
          }}
        >
          View as
        </button>
      </form>
      <div class="tools">
        <label>
          Users
          <input
            name="users"
            value={users}
            placeholder="alice, bob"
            onInput={(event) => setUsers(event.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          disabled={asked.resource === '' || named.length === 0}
          onClick={() =>
            run(async () => ({ is: 'matrix', matrix: await matrix(opened, resourceOnly(asked), named, VERBS) }))
          }
        >
          Matrix
        </button>
      </div>
      {answer !== undefined && <AnswerView answer={answer} onGranted={why} />}
    </main>
  );
}

/** Returns a query as the server understands it: it knows the core group by an empty name. */
const resourceOnly = (query: AccessQuery): AccessQuery => (query.group === 'core' ? { ...query, group: '' } : query);

function AnswerView({ answer, onGranted }: { readonly answer: Answer; readonly onGranted: () => void }) {
  if (answer.is === 'why') return <ExplanationView explanation={answer.explanation} onGranted={onGranted} />;
  if (answer.is === 'who') return <WhoCanView who={answer.who} />;
  if (answer.is === 'matrix') return <MatrixView matrix={answer.matrix} />;
  return <Failure text={answer.message} />;
}
