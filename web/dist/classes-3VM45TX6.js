import{a,b,c}from"./chunk-MVW5ZAMK.js";import"./chunk-UTXJYB7S.js";import"./chunk-HPQ26SSH.js";import"./chunk-SM5NGPOV.js";c();export{a as ClassTabs,b as default};
