import{a,b,c}from"./chunk-5Q7POESK.js";import"./chunk-UN3BADVL.js";c();export{a as SetPIN,b as default};
