import type { StoredObject } from '../../meta/object.js';
import type { Column } from '../../registry/definition.js';
import { ageColumn, nameColumn, textColumn } from '../shared/columns.js';
import type { BindingFields, SubjectFields } from './schema.js';

const WIDE = 1;

function subjectColumn(name: string, kind: string, text: (subject: SubjectFields) => string): Column {
  const cell = (object: StoredObject): string => {
    const subjects = (object as StoredObject & BindingFields).subjects ?? [];
    return subjects
      .filter((subject) => subject.kind === kind)
      .map(text)
      .join(', ');
  };
  return textColumn(name, `Subjects of the kind ${kind}.`, cell, WIDE);
}

/** Columns of the bindings of both kinds. */
export const bindingColumns: readonly Column[] = [
  nameColumn,
  textColumn('Role', 'Kind and name of the role.', (object) => {
    const { roleRef } = object as StoredObject & BindingFields;
    return `${roleRef.kind}/${roleRef.name}`;
  }),
  ageColumn,
  subjectColumn('Users', 'User', ({ name }) => name),
  subjectColumn('Groups', 'Group', ({ name }) => name),
  subjectColumn('ServiceAccounts', 'ServiceAccount', ({ namespace = '', name }) => `${namespace}/${name}`),
];
