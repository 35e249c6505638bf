import{a,b,c}from"./chunk-ZDQSPMB7.js";import"./chunk-PO6NKLA4.js";import"./chunk-EFMXWPQZ.js";c();export{a as default,b as engine};
