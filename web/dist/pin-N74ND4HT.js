import{a,b,c}from"./chunk-5SQ4GJ5Q.js";import"./chunk-4FJQJHQU.js";c();export{a as SetPIN,b as default};
