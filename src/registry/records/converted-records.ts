import {
  asciiJson,
  isLargeValue,
  LONG_TEXT,
  partOf,
  type StoredObject,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import type { ConvertedForm, ConvertedForms, DecodedForms } from './decoded-forms.js';
import { largeText } from './large-text.js';
import { isOwnText, type StoredForm } from './stored-form.js';

/** The records of a store that are converted to its version, as long as there is memory for them. */
export class ConvertedRecords {
  readonly #info: ResourceInfo;
  readonly #form: StoredForm;
  readonly #typePrefix: string;
  readonly #decodedForms: DecodedForms;
  readonly #forms: ConvertedForms = new WeakMap();

  /** @param typePrefix prefix of the text of every object of the version */
  constructor(info: ResourceInfo, form: StoredForm, typePrefix: string, decodedForms: DecodedForms) {
    this.#info = info;
    this.#form = form;
    this.#typePrefix = typePrefix;
    this.#decodedForms = decodedForms;
  }

  /** Returns the converted form of a record; undefined when it is not kept. */
  of(record: StorageRecord): ConvertedForm | undefined {
    return this.#forms.get(record);
  }

  /** Encodes a converted object, and keeps its form. */
  keep(record: StorageRecord, converted: StoredObject): ConvertedForm {
    return this.#current(record, converted) ?? this.#kept(record, this.#typed(converted), asciiJson);
  }

  /** Does the same as {@link keep}, in steps. */
  *keepSteps(record: StorageRecord, converted: StoredObject, work: Work): Steps<ConvertedForm> {
    const current = this.#current(record, converted);
    if (current !== undefined) return current;
    const object = this.#typed(converted);
    if (record.text.length < LONG_TEXT && !isLargeValue(object, true)) return this.#kept(record, object, asciiJson);
    // The form is counted as kept from then on.
    const making = partOf(work);
    try {
      const text = yield* largeText(object, making);
      return this.#kept(record, object, () => text);
    } finally {
      making.end();
    }
  }

  /** Returns the form of a record that needs no conversion. */
  #current(record: StorageRecord, converted: StoredObject): ConvertedForm | undefined {
    if (converted !== record.decoded || !isOwnText(record.text, this.#typePrefix)) return undefined;
    this.#form.markCurrent(record);
    return { object: converted, text: record.text };
  }

  #typed({ kind: _kind, apiVersion: _apiVersion, ...rest }: StoredObject): StoredObject {
    return { kind: this.#info.kind, apiVersion: this.#info.apiVersion, ...rest };
  }

  #kept(record: StorageRecord, object: StoredObject, textOf: (object: StoredObject) => string): ConvertedForm {
    const form = { object, text: textOf(object) };
    this.#decodedForms.cacheConverted(this.#forms, record, form);
    return form;
  }
}
