import{a,b,c}from"./chunk-EVHMG6M6.js";import"./chunk-7F5WRZ6E.js";c();export{a as SetPIN,b as default};
