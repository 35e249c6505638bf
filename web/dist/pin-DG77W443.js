import{a,b,c}from"./chunk-JSSEWDTC.js";import"./chunk-BKMNMJ4E.js";c();export{a as SetPIN,b as default};
