import{d as a,e as b,f as c}from"./chunk-TG4OFBO6.js";import"./chunk-GZKKBH7Q.js";import"./chunk-34FKY6BZ.js";import"./chunk-BKMNMJ4E.js";c();export{a as default,b as enters};
