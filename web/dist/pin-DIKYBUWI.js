import{a,b,c}from"./chunk-3JPINYCX.js";import"./chunk-SM5NGPOV.js";c();export{a as SetPIN,b as default};
