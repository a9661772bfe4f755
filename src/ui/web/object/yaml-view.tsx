import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { UntypedObject } from '../../../entries/client-web.js';
import { colourOf, ownedOf, type Owner } from '../data/owners.js';
import { kindOf } from '../data/references.js';
import { yamlLines, type Line } from '../data/yaml-lines.js';
import { inPage, isTyping } from '../parts/keys.js';
import { api, go, hrefOf, kinds } from '../state.js';

interface YamlProps {
  readonly object: UntypedObject;
  readonly masked: boolean;
  /** The path of the field whose line is marked; undefined for none. */
  readonly marked: string | undefined;
  readonly onMark: (path: string) => void;
}

/** An object as YAML, with the owner of each line. The line that the address names is marked. */
export function YamlView({ object, masked, marked, onMark }: YamlProps) {
  const place = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => yamlLines(shownOf(object, masked), ownedOf(object)), [object, masked]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const at = marked === undefined ? -1 : lines.findIndex(({ path }) => path === marked);
  const seen = useMemo(() => unfolded(lines, folded), [lines, folded]);
  const fold = (path: string, on: boolean): void =>
    setFolded((before) => new Set([...before].filter((each) => each !== path).concat(on ? path : [])));
  // A line that is marked is seen.
  useEffect(() => setFolded((before) => new Set([...before].filter((path) => !isWithin(marked, path)))), [marked]);
  useEffect(() => place.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [marked]);
  const mark = (index: number): void => {
    const path = lines[index]?.path;
    if (path !== undefined) onMark(path);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (isTyping(event)) return;
    const to = nextLine(event.key, seen, at);
    const current = lines[at];
    const isFold = event.key === 'ArrowLeft';
    if (to !== undefined) mark(to);
    else if (current?.below !== undefined && (isFold || event.key === 'ArrowRight')) fold(current.path, isFold);
    else return;
    event.preventDefault();
  };
  return (
    <>
      {marked !== undefined && at < 0 && <p class="warn">▲ The object has no field {marked}.</p>}
      <div
        ref={place}
        class="yaml"
        role="table"
        aria-label="The object as YAML, with the owner of each line"
        tabIndex={0}
        onKeyDown={onKey}
        onClick={({ target }) => mark(lineUnder(target))}
      >
        {seen.map(({ line, index }, order) => (
          <YamlLine
            key={index}
            {...{ line, index }}
            before={seen[order - 1]?.line}
            isFolded={folded.has(line.path)}
            inside={folded.has(line.path) ? lines.slice(index + 1, index + 1 + (line.below ?? 0)) : NONE}
            onFold={fold}
            namespace={object.metadata.namespace}
            isMarked={index === at}
          />
        ))}
      </div>
    </>
  );
}

const NONE: readonly Line[] = [];

/** A line that is seen. */
interface SeenLine {
  readonly line: Line;
  /** Its place among all lines. */
  readonly index: number;
}

/** Returns the lines that are in no fold. */
function unfolded(lines: readonly Line[], folded: ReadonlySet<string>): readonly SeenLine[] {
  const seen: SeenLine[] = [];
  let next = 0;
  for (const [index, line] of lines.entries()) {
    if (index < next) continue;
    seen.push({ line, index });
    if (folded.has(line.path)) next = index + 1 + (line.below ?? 0);
  }
  return seen;
}

/** Whether a field is inside another one. */
const isWithin = (path: string | undefined, outer: string): boolean =>
  path !== undefined && path !== outer && path.startsWith(outer) && /^[.[]/.test(path.slice(outer.length));

/** Returns the line that a key goes to: `j` to the next field that is seen, `k` to the one before. */
function nextLine(key: string, seen: readonly SeenLine[], at: number): number | undefined {
  if (key !== 'j' && key !== 'k') return undefined;
  const path = seen.find(({ index }) => index === at)?.line.path;
  // The lines of a block of text are those of one field.
  const found =
    key === 'j'
      ? seen.find(({ line, index }) => index > at && line.path !== path)
      : seen.findLast(({ line, index }) => index < at && line.path !== path);
  return found?.index;
}

/** Returns the line that was clicked; -1 for none, for a link, and for the end of a selection. */
function lineUnder(target: EventTarget | null): number {
  if (!(target instanceof Element) || target.closest('a, button') !== null || getSelection()?.isCollapsed === false)
    return -1;
  return Number(target.closest<HTMLElement>('.line')?.dataset['index'] ?? -1);
}

interface LineProps {
  readonly line: Line;
  readonly index: number;
  readonly before: Line | undefined;
  /** The namespace of the object. */
  readonly namespace: string | undefined;
  readonly isMarked: boolean;
  readonly isFolded: boolean;
  /** The lines that its fold hides. */
  readonly inside: readonly Line[];
  readonly onFold: (path: string, on: boolean) => void;
}

function YamlLine({ line, index, before, namespace, isMarked, isFolded, inside, onFold }: LineProps) {
  const [owner] = line.owners;
  const names = line.owners.map(({ manager }) => manager).join(', ');
  // A name is read once for the lines below it.
  const repeated = before !== undefined && names === before.owners.map(({ manager }) => manager).join(', ');
  return (
    <div class="line" role="row" data-index={index} aria-current={isMarked ? 'true' : undefined}>
      <div
        class={`owner ${owner === undefined ? '' : `owner-${colourOf(owner.manager)}`}`}
        role="cell"
        title={line.owners.map(describe).join('\n')}
      >
        {repeated ? '' : names}
      </div>
      <div class="text" role="cell">
        {line.below !== undefined && (
          <button
            type="button"
            class="fold"
            aria-expanded={!isFolded}
            aria-label={`The lines of ${line.path}`}
            onClick={() => onFold(line.path, !isFolded)}
          >
            {isFolded ? '▸' : '▾'}
          </button>
        )}
        <LineText line={line} namespace={namespace} />
        {isFolded && <span class="muted"> … {foldText(inside)}</span>}
      </div>
    </div>
  );
}

/** Says what a fold hides: `41 lines, 1 owner`. */
function foldText(inside: readonly Line[]): string {
  const managers = new Set(inside.flatMap(({ owners }) => owners.map(({ manager }) => manager)));
  return `${counted(inside.length, 'line')}, ${counted(managers.size, 'owner')}`;
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The text of a line. A value that names an object is a link to it. */
function LineText({ line, namespace }: Pick<LineProps, 'line' | 'namespace'>) {
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
