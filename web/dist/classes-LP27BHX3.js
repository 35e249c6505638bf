import{a,b,c}from"./chunk-2MXHW5OA.js";import"./chunk-UHKGIKSR.js";import"./chunk-ODKEGVCQ.js";import"./chunk-UN3BADVL.js";c();export{a as ClassTabs,b as default};
