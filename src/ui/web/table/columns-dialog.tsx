import { useState } from 'preact/hooks';
import { NARROWEST, WIDEST, type ChosenColumn, type TableColumn } from '../data/columns.js';
import { ANNOTATION, LABEL } from '../data/rows.js';
import { Dialog } from '../parts/dialog.js';

interface ColumnsProps {
  /** Whether the server has not said yet which columns it has. */
  readonly isLoading: boolean;
  /** The columns that the server has. */
  readonly known: readonly TableColumn[];
  /** Those that are drawn. */
  readonly chosen: readonly TableColumn[];
  /** Labels of the rows. */
  readonly labels: readonly string[];
  readonly onChange: (chosen: readonly ChosenColumn[]) => void;
  readonly onReset: () => void;
  readonly onClose: () => void;
}

/** Chooses the columns of a table, their order and widths, and labels and annotations as further ones. */
export function ColumnsDialog({ isLoading, known, chosen, labels, onChange, onReset, onClose }: ColumnsProps) {
  const others = known.filter(({ key }) => !chosen.some((column) => column.key === key));
  const without = (key: string): readonly ChosenColumn[] => chosen.filter((column) => column.key !== key);
  const moved = (from: number, to: number): readonly ChosenColumn[] => {
    const column = chosen[from];
    return column === undefined ? chosen : without(column.key).toSpliced(to, 0, column);
  };
  return (
    <Dialog label="Columns" onClose={onClose}>
      <h1>Columns</h1>
      {isLoading && <p class="muted">Loading…</p>}
      <ul class="columns" hidden={isLoading}>
        {chosen.map((column, index) => (
          <ChosenItem
            key={column.key}
            column={column}
            isFirst={index === 0}
            isLast={index === chosen.length - 1}
            onWidth={(width) => onChange(chosen.map((each) => (each === column ? { ...each, width } : each)))}
            onMove={(by) => onChange(moved(index, index + by))}
            onRemove={() => onChange(without(column.key))}
          />
        ))}
        {others.map((column) => (
          <li key={column.key}>
            <label title={column.help}>
              <input type="checkbox" checked={false} onChange={() => onChange([...chosen, column])} /> {column.title}
            </label>
          </li>
        ))}
      </ul>
      {!isLoading && (
        <AddColumn labels={labels} onAdd={(key) => onChange([...without(key), { key, width: undefined }])} />
      )}
      <div class="tools">
        <button type="button" onClick={onReset}>
          As the server has them
        </button>
        <button type="button" class="main" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

interface ChosenItemProps {
  readonly column: TableColumn;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onWidth: (width: number | undefined) => void;
  /** Moves the column: -1 for earlier, 1 for later. */
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** A column that is drawn: its width, its place, and a way to remove it. */
function ChosenItem({ column, isFirst, isLast, onWidth, onMove, onRemove }: ChosenItemProps) {
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked
          // A table without columns would show nothing.
          disabled={isFirst && isLast}
          onChange={onRemove}
        />{' '}
        {column.title}
      </label>
      <input
        type="number"
        min={NARROWEST}
        max={WIDEST}
        step={10}
        placeholder="width"
        aria-label={`Width of ${column.title} in pixels`}
        value={column.width ?? ''}
        onChange={({ currentTarget: { value } }) => onWidth(value === '' ? undefined : Number(value))}
      />
      <button type="button" disabled={isFirst} aria-label={`${column.title} earlier`} onClick={() => onMove(-1)}>
        ↑
      </button>
      <button type="button" disabled={isLast} aria-label={`${column.title} later`} onClick={() => onMove(1)}>
        ↓
      </button>
    </li>
  );
}

/** Adds a label or an annotation as a column. */
function AddColumn({ labels, onAdd }: { readonly labels: readonly string[]; readonly onAdd: (key: string) => void }) {
  const [form, setForm] = useState(LABEL);
  const [name, setName] = useState('');
  const add = (event: Event): void => {
    event.preventDefault();
    if (name.trim() === '') return;
    onAdd(form + name.trim());
    setName('');
  };
  return (
    <form class="tools" onSubmit={add}>
      <select aria-label="What to add" value={form} onChange={(event) => setForm(event.currentTarget.value)}>
        <option value={LABEL}>Label</option>
        <option value={ANNOTATION}>Annotation</option>
      </select>
      <input
        aria-label="Its key"
        list="known-labels"
        placeholder="app"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <datalist id="known-labels">
        {labels.map((label) => (
          <option key={label} value={label} />
        ))}
      </datalist>
      <button type="submit" disabled={name.trim() === ''}>
        Add
      </button>
    </form>
  );
}
