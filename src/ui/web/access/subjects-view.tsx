import type { Matrix, WhoCan } from '../data/access.js';
import { PlainTable } from '../parts/plain-table.js';
import { bindingText } from './explanation-view.js';

/** The subjects of bindings that allow something. */
export function WhoCanView({ who: { always, subjects, complete } }: { readonly who: WhoCan }) {
  return (
    <section aria-label="Who can">
      <p role="status">
        {subjects.length === 0 ? 'No binding allows it.' : `${subjects.length} subjects of bindings.`} The group{' '}
        {always.join(', ')} may do everything.{complete ? '' : ' There are more.'}
      </p>
      {subjects.length > 0 && (
        <PlainTable titles={['Subject', 'Name', 'Binding', 'Role', 'Rule']}>
          {subjects.map(({ kind, name, namespace, binding, role, rule }) => (
            <tr key={`${kind} ${namespace}/${name} ${bindingText(binding)}`}>
              <td>{kind}</td>
              <td>{namespace === undefined ? name : `${namespace}/${name}`}</td>
              <td>{bindingText(binding)}</td>
              <td>{role}</td>
              <td>{rule + 1}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </section>
  );
}

/** Which users may use which verbs. */
export function MatrixView({ matrix: { verbs, rows } }: { readonly matrix: Matrix }) {
  return (
    <section aria-label="Matrix">
      <PlainTable titles={['User', ...verbs]}>
        {rows.map(({ user, allowed }) => (
          <tr key={user}>
            <th scope="row">{user}</th>
            {allowed.map((may, index) => (
              <td key={verbs[index]} class={may ? 'ok' : 'bad'}>
                {may ? '✓ yes' : '✕ no'}
              </td>
            ))}
          </tr>
        ))}
      </PlainTable>
    </section>
  );
}
