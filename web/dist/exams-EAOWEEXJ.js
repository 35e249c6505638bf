import{d as a,e as b,f as c}from"./chunk-WBR46GOX.js";import"./chunk-GKFKC2FA.js";import"./chunk-UNUNFTSP.js";import"./chunk-U3GKYPL2.js";c();export{a as default,b as enters};
