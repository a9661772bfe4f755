import { useMemo } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { colourOf, ownedOf, type Owner } from '../data/owners.js';
import { kindOf } from '../data/references.js';
import { yamlLines, type Line } from '../data/yaml-lines.js';
import { inPage } from '../parts/keys.js';
import { api, go, hrefOf, kinds } from '../state.js';

/** An object as YAML, with the owner of each line. */
export function YamlView({ object, masked }: { readonly object: UntypedObject; readonly masked: boolean }) {
  const lines = useMemo(() => yamlLines(shownOf(object, masked), ownedOf(object)), [object, masked]);
  return (
    <div class="yaml" role="table" aria-label="The object as YAML, with the owner of each line" tabIndex={0}>
      {lines.map((line, index) => (
        <YamlLine key={index} line={line} before={lines[index - 1]} namespace={object.metadata.namespace} />
      ))}
    </div>
  );
}

interface LineProps {
  readonly line: Line;
  readonly before: Line | undefined;
  /** The namespace of the object. */
  readonly namespace: string | undefined;
}

function YamlLine({ line, before, namespace }: LineProps) {
  const [owner] = line.owners;
  const names = line.owners.map(({ manager }) => manager).join(', ');
  // A name is read once for the lines below it.
  const repeated = before !== undefined && names === before.owners.map(({ manager }) => manager).join(', ');
  return (
    <div class="line" role="row">
      <div
        class={`owner ${owner === undefined ? '' : `owner-${colourOf(owner.manager)}`}`}
        role="cell"
        title={line.owners.map(describe).join('\n')}
      >
        {repeated ? '' : names}
      </div>
      <div class="text" role="cell">
        <LineText line={line} namespace={namespace} />
      </div>
    </div>
  );
}

/** The text of a line. A value that names an object is a link to it. */
function LineText({ line, namespace }: Omit<LineProps, 'before'>) {
  const { text, reference, valueAt } = line;
  const suffix = api.value?.suffix ?? '';
  const kind = reference === undefined ? undefined : kindOf(reference, kinds.value, suffix);
  if (reference === undefined || kind === undefined) return <>{text}</>;
  const { group, version, plural, namespaced } = kind;
  const place = { name: reference.name, namespace: namespaced ? (reference.namespace ?? namespace) : undefined };
  const to = { at: 'object', group, version, plural, ...place, tab: 'yaml' } as const;
  return (
    <>
      {text.slice(0, valueAt)}
      <a href={hrefOf(to)} onClick={inPage(() => go(to))} title={`${reference.kind} ${reference.name}`}>
        {text.slice(valueAt)}
      </a>
    </>
  );
}

const describe = ({ manager, operation, time, subresource }: Owner): string =>
  [
    manager,
    operation,
    subresource === undefined ? '' : `of ${subresource}`,
    time === undefined ? '' : `${new Date(time).toLocaleString()} (${time})`,
  ]
    .filter((part) => part !== '')
    .join(' · ');

/** Annotations with the whole object, as clients store it. */
const LAST_APPLIED = /last-applied-configuration$/;

/** Returns what is shown of an object: all but the owners, which are beside the lines, and values that are masked. */
function shownOf(object: UntypedObject, masked: boolean): object {
  const { managedFields: _owners, annotations, ...metadata } = object.metadata;
  if (annotations === undefined) return { ...object, metadata };
  const shown = Object.entries(annotations).map(([name, value]): [string, string] => [
    name,
    masked && LAST_APPLIED.test(name) ? '(masked)' : value,
  ]);
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(shown) } };
}
