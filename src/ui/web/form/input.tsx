import { useState } from 'preact/hooks';
import { wordsOf } from '../data/api.js';
import { choicesOf, type FieldForm, type Schema } from '../data/schema.js';
import { objectIn, textOf } from '../data/yaml-text.js';

/** A value to enter. */
export interface InputProps {
  readonly id: string;
  /** The id of the element that says what the value is for. */
  readonly describedBy: string;
  readonly kind: FieldForm;
  readonly schema: Schema | undefined;
  readonly value: unknown;
  readonly isWrong: boolean;
  readonly onChange: (value: unknown) => void;
}

/** Enters one value, in the way of its kind. */
export function Input({ id, describedBy, kind, schema = {}, value, isWrong, onChange }: InputProps) {
  const shared = { id, 'aria-describedby': describedBy, 'aria-invalid': isWrong };
  if (kind === 'anything') return <YamlInput {...shared} value={value} onChange={onChange} />;
  if (kind === 'flag' && (value === undefined || typeof value === 'boolean'))
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  const text = textOfValue(value);
  if (kind === 'choice')
    return (
      <select {...shared} value={text} onChange={(event) => onChange(event.currentTarget.value)}>
        {!choicesOf(schema).includes(text) && <option value={text}>{text}</option>}
        {choicesOf(schema).map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  const isText = kind === 'text';
  const enter = (entered: string): void => onChange(isText ? entered : numberIn(entered));
  if (isText && text.includes('\n'))
    return <textarea {...shared} rows={6} value={text} onInput={(event) => enter(event.currentTarget.value)} />;
  return (
    <input
      {...shared}
      inputMode={kind === 'number' ? 'numeric' : undefined}
      value={text}
      onInput={(event) => enter(event.currentTarget.value)}
    />
  );
}

/** Returns the text of a value that is entered as text; that of another value is empty. */
function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : '';
}

/** Returns the number that a text stands for; the text itself if it is not a number, so that no input is lost. */
export function numberIn(text: string): unknown {
  if (String(Number(text)) === text && Number.isFinite(Number(text))) return Number(text);
  return /^-?[1-9]\d*$/.test(text) ? BigInt(text) : text;
}

type YamlInputProps = Pick<InputProps, 'id' | 'value' | 'onChange'> & {
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
};

/** Enters a value without a schema, as YAML. */
function YamlInput({ value, onChange, ...shared }: YamlInputProps) {
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const [failure, setFailure] = useState('');
  const enter = (text: string): void => {
    setDraft(text);
    try {
      onChange(objectIn(text));
      setFailure('');
    } catch (error) {
      setFailure(wordsOf(error));
    }
  };
  const leave = (): void => {
    if (failure === '') setDraft(undefined);
  };
  return (
    <>
      <textarea
        {...shared}
        rows={3}
        value={draft ?? (value === undefined ? '' : textOf(value))}
        onInput={(event) => enter(event.currentTarget.value)}
        onBlur={leave}
      />
      {failure !== '' && <span class="bad">✕ {failure}</span>}
    </>
  );
}
