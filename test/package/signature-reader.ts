import { dirname, resolve } from 'node:path';
import ts from 'typescript';
import { root } from './project.js';
import { targetOf } from './public-interface.js';

/** A declaration as users see it. */
export interface Signature {
  /** Without comments, bodies and private members. */
  readonly text: string;
  /** The declarations of the package that the text names. */
  readonly named: ReadonlySet<ts.Symbol>;
}

/** A source file beside its declarations. */
interface DeclaredFile {
  /** The declarations as the compiler writes them: with the types that the source leaves to it. */
  readonly declarations: ts.SourceFile;
  /** The symbols of the names at the top of the file. */
  readonly scope: ReadonlyMap<string, ts.Symbol>;
}

/** Reads signatures from the declarations that the compiler makes of a program. */
export class SignatureReader {
  private readonly files = new Map<ts.SourceFile, DeclaredFile>();
  private readonly checker: ts.TypeChecker;

  constructor(private readonly program: ts.Program) {
    this.checker = program.getTypeChecker();
  }

  /** @throws Error for a symbol that the package does not declare at the top of a file */
  read(symbol: ts.Symbol): Signature {
    const named = new Set<ts.Symbol>();
    const texts: string[] = [];
    for (const source of sourcesOf(symbol)) {
      const file = this.declared(source);
      for (const node of declarationsNamed(symbol.name, file.declarations)) {
        texts.push(textOf(node));
        this.collectNamed(node, file, source, named);
      }
    }
    if (texts.length === 0) throw new Error(`${symbol.name} has no declaration`);
    named.delete(symbol);
    return { text: texts.join('\n'), named };
  }

  private declared(source: ts.SourceFile): DeclaredFile {
    const known = this.files.get(source);
    if (known !== undefined) return known;
    let text = '';
    this.program.emit(source, (_path, written) => (text = written), undefined, true);
    const declarations = ts.createSourceFile(`${source.fileName}.d.ts`, text, ts.ScriptTarget.ES2022, true);
    const made = { declarations, scope: this.scopeOf(source) };
    this.files.set(source, made);
    return made;
  }

  private scopeOf(source: ts.SourceFile): Map<string, ts.Symbol> {
    const scope = new Map<string, ts.Symbol>();
    for (const name of source.statements.flatMap(namesOf)) {
      const symbol = this.checker.getSymbolAtLocation(name);
      if (symbol !== undefined) scope.set(name.text, targetOf(symbol, this.checker));
    }
    return scope;
  }

  private collectNamed(node: ts.Node, file: DeclaredFile, source: ts.SourceFile, named: Set<ts.Symbol>): void {
    if (isPrivate(node)) return;
    const symbol = this.namedBy(node, file, source);
    if (symbol !== undefined && sourcesOf(symbol).some(isOurs)) named.add(symbol);
    ts.forEachChild(node, (child) => {
      this.collectNamed(child, file, source, named);
    });
  }

  /** The symbol that a node of a type names: of `Name<T>`, `namespace.Name`, `typeof name` or `import('file').Name`. */
  private namedBy(node: ts.Node, { scope }: DeclaredFile, source: ts.SourceFile): ts.Symbol | undefined {
    if (ts.isImportTypeNode(node)) {
      const module = this.moduleOf(node, source);
      return module && this.memberOf(module, path(node.qualifier));
    }
    const [first, ...rest] = path(
      ts.isTypeReferenceNode(node)
        ? node.typeName
        : ts.isTypeQueryNode(node)
          ? node.exprName
          : ts.isExpressionWithTypeArguments(node)
            ? node.expression
            : undefined,
    );
    if (first === undefined || isTypeParameter(first, node)) return undefined;
    const symbol = scope.get(first);
    return symbol && this.memberOf(symbol, rest);
  }

  /** The symbol at a path of names below a namespace; the members of anything else are its own. */
  private memberOf(symbol: ts.Symbol, names: readonly string[]): ts.Symbol | undefined {
    const [first, ...rest] = names;
    if (first === undefined || (symbol.flags & ts.SymbolFlags.ValueModule) === 0) return symbol;
    const member = this.checker.getExportsOfModule(symbol).find(({ name }) => name === first);
    return member && this.memberOf(targetOf(member, this.checker), rest);
  }

  private moduleOf({ argument }: ts.ImportTypeNode, source: ts.SourceFile): ts.Symbol | undefined {
    if (!ts.isLiteralTypeNode(argument) || !ts.isStringLiteral(argument.literal)) return undefined;
    const specifier = argument.literal.text;
    if (!specifier.startsWith('.')) return undefined;
    const file = this.program.getSourceFile(resolve(dirname(source.fileName), specifier).replace(/\.js$/, '.ts'));
    return file && this.checker.getSymbolAtLocation(file);
  }
}

/** Whether a file belongs to the package. */
const isOurs = (source: ts.SourceFile): boolean => source.fileName.startsWith(`${root}src/`);

/** The files that declare a symbol. */
export const sourcesOf = (symbol: ts.Symbol): readonly ts.SourceFile[] => [
  ...new Set((symbol.declarations ?? []).map((declaration) => declaration.getSourceFile())),
];

/** The names that a statement at the top of a file adds to the file's scope. */
function namesOf(statement: ts.Statement): ts.Identifier[] {
  if (ts.isImportDeclaration(statement)) {
    const clause = statement.importClause;
    const bindings = clause?.namedBindings;
    const names = clause?.name === undefined ? [] : [clause.name];
    if (bindings === undefined) return names;
    if (ts.isNamespaceImport(bindings)) return [...names, bindings.name];
    return [...names, ...bindings.elements.map(({ name }) => name)];
  }
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  const name = ts.getNameOfDeclaration(statement as ts.Node as ts.Declaration);
  return name !== undefined && ts.isIdentifier(name) ? [name] : [];
}

const boundNames = (name: ts.BindingName): ts.Identifier[] =>
  ts.isIdentifier(name)
    ? [name]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));

/** The declarations of a name at the top of a file: several of a function with overloads. */
function declarationsNamed(name: string, file: ts.SourceFile): ts.Node[] {
  return file.statements.flatMap((statement): ts.Node[] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.filter((declaration) => declaration.name.getText() === name);
    return !ts.isImportDeclaration(statement) && namesOf(statement).some(({ text }) => text === name)
      ? [statement]
      : [];
  });
}

/** The text of a declaration, without modifiers that all have, private members and the files of types. */
function textOf(node: ts.Node): string {
  const start = node.getStart();
  const dropped: { from: number; to: number }[] = [];
  const visit = (child: ts.Node): void => {
    if (isPrivate(child)) dropped.push({ from: child.pos, to: child.end });
    else {
      if (ts.isImportTypeNode(child) && child.qualifier !== undefined && /^import\("\./.test(child.getText()))
        dropped.push({ from: child.getStart(), to: child.qualifier.getStart() });
      ts.forEachChild(child, visit);
    }
  };
  visit(node);
  let text = node.getText();
  for (const { from, to } of dropped.toReversed()) text = text.slice(0, from - start) + text.slice(to - start);
  return ts.isVariableDeclaration(node) ? `const ${text};` : text.replace(/^(?:export |declare |default )+/, '');
}

/** Whether users cannot use a member. A private constructor says that they cannot make objects, so it counts. */
const isPrivate = (node: ts.Node): boolean =>
  (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) ||
  (ts.canHaveModifiers(node) &&
    !ts.isConstructorDeclaration(node) &&
    (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword));

/** The names of `a.b.c`. */
function path(node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isQualifiedName(node)) return [...path(node.left), node.right.text];
  return ts.isPropertyAccessExpression(node) ? [...path(node.expression), node.name.text] : [];
}

/** Whether a name is a parameter of the declarations, mapped types or conditional types around a node. */
function isTypeParameter(name: string, node: ts.Node): boolean {
  for (let around = node.parent; !ts.isSourceFile(around); around = around.parent) {
    const parameters = ts.isMappedTypeNode(around)
      ? [around.typeParameter]
      : ts.isConditionalTypeNode(around)
        ? inferredIn(around.extendsType)
        : ((around as Partial<ts.DeclarationWithTypeParameterChildren>).typeParameters ?? []);
    if (parameters.some((parameter) => parameter.name.text === name)) return true;
  }
  return false;
}

function inferredIn(node: ts.Node): ts.TypeParameterDeclaration[] {
  const found = ts.isInferTypeNode(node) ? [node.typeParameter] : [];
  ts.forEachChild(node, (child) => {
    found.push(...inferredIn(child));
  });
  return found;
}
